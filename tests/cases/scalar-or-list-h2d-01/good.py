from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor, nn


def focal_terms(pred: Tensor, target: Tensor, alpha: Optional[float], gamma: float) -> Tensor:
    """Compute the unreduced focal loss of logits with shape :math:`(N, C, *)` against labels."""
    num_of_classes = pred.shape[1]
    log_pred_soft: Tensor = pred.log_softmax(1)
    target_one_hot = torch.nn.functional.one_hot(target, num_classes=num_of_classes)
    target_one_hot = target_one_hot.movedim(-1, 1).to(pred.dtype)

    weight = torch.pow(1.0 - log_pred_soft.exp(), gamma)
    loss = -weight * log_pred_soft * target_one_hot

    if alpha is not None:
        alpha_fac = alpha * target_one_hot + (1.0 - alpha) * (1.0 - target_one_hot)
        loss = alpha_fac * loss
    return loss


class FocalLoss(nn.Module):
    r"""Criterion that computes Focal loss.

    Args:
        alpha: Weighting factor :math:`\alpha \in [0, 1]`.
        gamma: Focusing parameter :math:`\gamma >= 0`.
        reduction: Specifies the reduction to apply to the output.
    """

    def __init__(self, alpha: Optional[float] = None, gamma: float = 2.0, reduction: str = "none") -> None:
        super().__init__()
        self.alpha = alpha
        self.gamma = gamma
        self.reduction = reduction

    def forward(self, pred: Tensor, target: Tensor) -> Tensor:
        loss = focal_terms(pred, target, self.alpha, self.gamma)
        if self.reduction == "mean":
            return loss.mean()
        if self.reduction == "sum":
            return loss.sum()
        return loss
