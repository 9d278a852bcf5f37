"""Functional interface of the multiclass hinge loss."""
from typing import Tuple

import torch
from torch import Tensor


def _check_shapes(preds: Tensor, target: Tensor) -> None:
    if preds.ndim != 2:
        raise ValueError(f"`preds` must be of shape (N, C), got {tuple(preds.shape)}")
    if target.ndim != 1 or target.shape[0] != preds.shape[0]:
        raise ValueError("`target` must hold one class index per row of `preds`")


def _hinge_update(preds: Tensor, target: Tensor, squared: bool = False) -> Tuple[Tensor, Tensor]:
    """Sum of the Crammer-Singer losses of a batch, and its size."""
    _check_shapes(preds, target)
    num_samples, num_classes = preds.shape
    rows = torch.arange(num_samples, device=preds.device)

    mask = torch.zeros((len(target), num_classes), dtype=torch.bool)  # error: [DL102]
    mask[rows, target] = True

    positive = (preds * mask).sum(dim=1)
    negative = preds.masked_fill(mask, float("-inf")).max(dim=1)[0]
    margin = positive - negative
    measures = torch.clamp(1 - margin, 0)
    if squared:
        measures = measures.pow(2)
    total = torch.tensor(num_samples, device=preds.device)
    return measures.sum(dim=0), total


def _hinge_compute(measure: Tensor, total: Tensor) -> Tensor:
    return measure / total


def hinge_loss(preds: Tensor, target: Tensor, squared: bool = False) -> Tensor:
    """Compute the mean multiclass hinge loss.

    Args:
        preds: scores, shape (N, C)
        target: class indices, shape (N,)
        squared: use the squared loss
    """
    measure, total = _hinge_update(preds, target, squared)
    return _hinge_compute(measure, total)
