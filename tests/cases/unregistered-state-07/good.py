r"""Input transforms of a surrogate model."""
from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import Module


class InputTransform(Module):
    """Base class of transforms that are applied to inputs before they reach the model."""

    def __init__(self, transform_on_train: bool = True, transform_on_eval: bool = True) -> None:
        super().__init__()
        self.transform_on_train = transform_on_train
        self.transform_on_eval = transform_on_eval

    def forward(self, X: Tensor) -> Tensor:
        if self.training and self.transform_on_train:
            return self.transform(X)
        return self.transform(X) if self.transform_on_eval else X

    def transform(self, X: Tensor) -> Tensor:
        raise NotImplementedError


class FilterFeatures(InputTransform):
    """Keeps the chosen features of the inputs and drops the others."""

    def __init__(self, feature_indices: Tensor, **kwargs) -> None:
        r"""
        Args:
            feature_indices: A one-dim tensor of the indices to keep, ascending.
        """
        super().__init__(**kwargs)
        if feature_indices.dim() != 1:
            raise ValueError("`feature_indices` must be a one-dimensional tensor!")
        if feature_indices.dtype != torch.int64:
            raise ValueError("`feature_indices` tensor must be int64/long!")
        self.register_buffer("feature_indices", feature_indices)

    def transform(self, X: Tensor) -> Tensor:
        return X.index_select(-1, self.feature_indices)


def first_features(num_features: int, **kwargs) -> FilterFeatures:
    """Transform that keeps the first few features."""
    return FilterFeatures(torch.arange(num_features), **kwargs)
