"""Voice activity detection.

Authors
 * The toolkit's maintainers
"""
import torch
import torchaudio
from torch import nn


class FrameClassifier(nn.Module):
    """Posterior of speech for each frame of a waveform."""

    def __init__(self, frame_size=400, hop=160, hidden=128):
        super().__init__()
        self.features = nn.Conv1d(1, hidden, frame_size, stride=hop)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True, bidirectional=True)
        self.output = nn.Linear(2 * hidden, 1)

    def forward(self, wavs):
        feats = torch.relu(self.features(wavs.unsqueeze(1))).transpose(1, 2)
        hidden, _ = self.rnn(feats)
        return torch.sigmoid(self.output(hidden)).squeeze(-1)


class VAD:
    """Detects speech in recordings of any length."""

    def __init__(self, checkpoint, run_opts=None):
        run_opts = run_opts or {}
        self.device = torch.device(run_opts.get("device", "cpu"))
        self.net = FrameClassifier()
        self.net.load_state_dict(torch.load(checkpoint, map_location=self.device))
        self.net.to(self.device).eval()

    @torch.no_grad()
    def get_speech_prob_file(self, audio_file, large_chunk_size=30):
        """Speech probability of each frame, for a file that is read in large chunks."""
        info = torchaudio.info(audio_file)
        chunk_len = int(info.sample_rate * large_chunk_size)

        probs = []
        begin = 0
        while begin < info.num_frames:
            segment, _ = torchaudio.load(audio_file, frame_offset=begin, num_frames=chunk_len)
            segment = segment.to(self.device)
            prob = self.net(segment)
            probs.append(prob)
            begin += chunk_len
        return torch.cat(probs, dim=1)
