#!/usr/bin/env python3

import torch
from torch import Tensor, sigmoid
from torch.nn import Module


def inv_sigmoid(x: Tensor) -> Tensor:
    return torch.log(x) - torch.log(1 - x)


class Interval(Module):
    """Constraint that maps a raw parameter into an interval.

    Args:
        lower_bound: Lower bound, one number or a list of one number per dimension.
        upper_bound: Upper bound, of the same form.
    """

    def __init__(self, lower_bound, upper_bound, initial_value=None):
        super().__init__()
        lower_bound = torch.as_tensor(lower_bound, dtype=torch.float32)
        upper_bound = torch.as_tensor(upper_bound, dtype=torch.float32)
        if torch.any(torch.ge(lower_bound, upper_bound)):
            raise RuntimeError("Got parameter bounds with empty intervals.")

        self.register_buffer("lower_bound", lower_bound)
        self.register_buffer("upper_bound", upper_bound)
        self.initial_value = initial_value

    def clip(self, tensor: Tensor) -> Tensor:
        return torch.clamp(tensor, self.lower_bound, self.upper_bound)

    def transform(self, tensor: Tensor) -> Tensor:
        """Transforms a tensor to satisfy the specified bounds."""
        return sigmoid(tensor) * (self.upper_bound - self.lower_bound) + self.lower_bound

    def inverse_transform(self, transformed_tensor: Tensor) -> Tensor:
        """Applies the inverse transformation."""
        width = self.upper_bound - self.lower_bound
        return inv_sigmoid((transformed_tensor - self.lower_bound) / width)


class UnitInterval(Interval):
    def __init__(self, num_dims: int):
        super().__init__([0.0] * num_dims, [1.0] * num_dims)
