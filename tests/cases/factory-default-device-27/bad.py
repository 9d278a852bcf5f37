r"""Orthogonal approximations of multivariate normal probabilities."""
from __future__ import annotations

from typing import Tuple

import torch
from torch import Tensor


def _standardize(covariance: Tensor) -> Tuple[Tensor, Tensor]:
    r"""Correlation matrix and standard deviations of a `batch x d x d` covariance."""
    stdv = covariance.diagonal(dim1=-2, dim2=-1).sqrt()
    correlation = covariance / (stdv.unsqueeze(-1) * stdv.unsqueeze(-2))
    return correlation, stdv


def augment_correlation(covariance: Tensor, cross: Tensor, jitter: float = 1e-8) -> Tensor:
    r"""Correlation of a set of variables joined by new ones of unit variance.

    Args:
        covariance: A `batch_shape x d x d`-dim tensor of covariances.
        cross: A `batch_shape x d x d`-dim tensor of covariances between the variables
            and the new ones.
        jitter: Amount added to the diagonal.

    Returns:
        A `batch_shape x 2d x 2d`-dim tensor.
    """
    if covariance.shape != cross.shape:
        raise ValueError("Expected covariances of one shape.")
    correlation, stdv = _standardize(covariance)
    off_diagonal = cross / stdv.unsqueeze(-1)
    inner = off_diagonal.transpose(-1, -2) @ off_diagonal
    corner = inner + torch.diag_embed(torch.ones(inner.shape[:-1]))  # error: [DL102]
    top = torch.cat((correlation, off_diagonal), dim=-1)
    bottom = torch.cat((off_diagonal.transpose(-1, -2), corner), dim=-1)
    joint = torch.cat((top, bottom), dim=-2)
    return joint + jitter * torch.eye(joint.shape[-1], dtype=joint.dtype, device=joint.device)
