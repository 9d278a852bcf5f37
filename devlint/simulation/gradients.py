"""The check of gradients that a program passes to backward: they must be on the devices of the outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from devlint.simulation import errors
from devlint.simulation.calls.moves import moved
from devlint.simulation.devices import HOST
from devlint.simulation.labels import handles_kernels, label_of
from devlint.simulation.layer import Layer


def placed_gradients(layer: Layer, outputs: Sequence[Any], gradients: Sequence[Any]) -> Sequence[Any]:
    """The gradients on the devices of the outputs (`validate_outputs` in torch/csrc/autograd/engine.cpp)."""
    return tuple(_placed(layer, outputs, gradients))


def _placed(layer: Layer, outputs: Sequence[Any], gradients: Sequence[Any]) -> Iterator[Any]:
    for place, (output, gradient) in enumerate(zip(outputs, gradients, strict=True)):
        if _fits(output, gradient):
            yield gradient
        elif gradient.dim() == 0:
            yield moved(gradient, label_of(output))
        else:
            wanted, found = label_of(output) or HOST, label_of(gradient) or HOST
            error = errors.invalid_gradient(place, wanted, found)
            layer.refuse(error, torch.autograd.backward, (output, gradient), {})
            yield gradient


def _fits(output: Any, gradient: Any) -> bool:
    """Whether a gradient needs no check or has the right device. Edges of the graph have no memory."""
    if not isinstance(output, Tensor) or not isinstance(gradient, Tensor):
        return True
    own = handles_kernels(type(output)) or handles_kernels(type(gradient))
    return own or label_of(output) is label_of(gradient)
