from typing import List, Tuple

import numpy as np
import torch


class CRFTagger(torch.nn.Module):
    """
    Linear tagger whose decoding runs in NumPy.
    """

    def __init__(self, embedding_dim: int, tags: List[str]):
        super().__init__()
        self.tags = tags
        self.linear = torch.nn.Linear(embedding_dim, len(tags))
        self.transitions = torch.nn.Parameter(torch.randn(len(tags), len(tags)))
        self.transitions.detach()[0, :] = -10000

    def forward(self, sentence_tensor: torch.Tensor) -> torch.Tensor:
        return self.linear(sentence_tensor)

    def _viterbi(self, feats: np.ndarray, transitions: np.ndarray) -> Tuple[List[int], float]:
        scores = feats[0]
        backpointers = np.zeros(feats.shape, dtype=np.int64)
        for i in range(1, feats.shape[0]):
            candidates = scores[None, :] + transitions
            backpointers[i] = candidates.argmax(axis=1)
            scores = candidates.max(axis=1) + feats[i]
        path = [int(scores.argmax())]
        for i in range(feats.shape[0] - 1, 0, -1):
            path.append(int(backpointers[i, path[-1]]))
        return path[::-1], float(scores.max())

    def predict(self, sentence_tensor: torch.Tensor) -> List[str]:
        """
        The most likely tags of one sentence.
        :param sentence_tensor: one embedding per token
        """
        with torch.no_grad():
            features = self(sentence_tensor)
        feats = features.cpu().numpy()
        transitions = self.transitions.detach().cpu().numpy()
        path, _ = self._viterbi(feats, transitions)
        return [self.tags[i] for i in path]
