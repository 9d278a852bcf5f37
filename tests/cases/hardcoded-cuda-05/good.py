from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn


class RedundancyReductionLoss(nn.Module):
    """
    Pulls the cross-correlation matrix of two views of a sentence towards the identity.

    Args:
        model: The sentence transformer that embeds both views.
        lambd: Weight of the off-diagonal part.
    """

    def __init__(self, model: nn.Module, lambd: float = 0.0051, eps: float = 1e-6) -> None:
        super().__init__()
        self.model = model
        self.lambd = lambd
        self.eps = eps

    def normalize(self, embeddings: Tensor) -> Tensor:
        centered = embeddings - embeddings.mean(dim=0, keepdim=True)
        return centered / (centered.std(dim=0, keepdim=True) + self.eps)

    def forward(self, sentence_features: Iterable[dict[str, Tensor]], labels: Tensor | None = None) -> Tensor:
        reps = [self.model(features)["sentence_embedding"] for features in sentence_features]
        rep_a, rep_b = (self.normalize(rep) for rep in reps)

        batch_size, dim = rep_a.shape
        correlation = rep_a.T @ rep_b / batch_size

        diff = (correlation - torch.eye(dim, device=correlation.device)).pow(2)
        on_diagonal = torch.diagonal(diff).sum()
        off_diagonal = diff.sum() - on_diagonal
        return on_diagonal + self.lambd * off_diagonal

    def get_config_dict(self) -> dict[str, float]:
        return {"lambd": self.lambd, "eps": self.eps}
