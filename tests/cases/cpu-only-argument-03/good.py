import math

import torch
import torch.nn as nn


class ConvLSTMSpeechEncoder(nn.Module):
    """Two strided convolutions over filter banks, then a bidirectional LSTM.

    Args:
        input_dim: number of filter banks
        hidden: size of the LSTM's state
        layers: number of LSTM layers
        dropout: dropout between the layers
    """

    def __init__(self, input_dim=80, channels=16, hidden=256, layers=3, dropout=0.2):
        super().__init__()
        self.convs = nn.ModuleList(
            [
                nn.Conv2d(1, channels, 3, stride=2, padding=1),
                nn.Conv2d(channels, channels, 3, stride=2, padding=1),
            ]
        )
        freq = math.ceil(math.ceil(input_dim / 2) / 2)
        self.lstm = nn.LSTM(freq * channels, hidden, layers, dropout=dropout, bidirectional=True)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, src_tokens, src_lengths=None, **kwargs):
        """
        Args:
            src_tokens: padded filter banks (B, T, D)
            src_lengths: number of frames of each utterance (B)
        """
        x = src_tokens.unsqueeze(1)
        input_lengths = src_lengths
        for conv in self.convs:
            x = torch.relu(conv(x))
            input_lengths = (input_lengths + 1) // 2

        bsz, channels, max_len, freq = x.size()
        x = x.permute(2, 0, 1, 3).contiguous().view(max_len, bsz, channels * freq)
        x = self.dropout(x)
        packed = nn.utils.rnn.pack_padded_sequence(x, input_lengths.cpu(), enforce_sorted=False)  # also: [DL306]
        packed, _ = self.lstm(packed)
        x, _ = nn.utils.rnn.pad_packed_sequence(packed)  # also: [DL205]
        positions = torch.arange(x.size(0), device=x.device)
        padding_mask = positions.unsqueeze(0) >= input_lengths.unsqueeze(1)
        return {"encoder_out": x, "encoder_padding_mask": padding_mask}
