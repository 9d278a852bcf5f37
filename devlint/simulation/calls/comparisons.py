"""Functions that compare the devices of their operands themselves, with their own error texts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from devlint.simulation.calls.arguments import argument, first
from devlint.simulation.devices import HOST
from devlint.simulation.labels import label_of
from devlint.simulation.layer import Handler, Layer

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]
Pick = Callable[[Sequence[Any], Mapping[str, Any]], Sequence[Any]]
"""Selects the compared arguments of a call."""


class ComparedDevices(NamedTuple):
    """The compared arguments, and the error text for the first operand and the first different one."""

    pick: Pick
    text: str
    """With placeholders: `one` and `other` are the devices, `place` is the position of the other one."""


def _arguments(**positions: int) -> Pick:
    """Arguments by their names and positions."""

    def pick(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
        return [argument(args, kwargs, at, name) for name, at in positions.items()]

    return pick


def _all(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
    """Tensors one by one, or in one list."""
    passed = args or kwargs.get("tensors", ())
    return passed[0] if len(passed) == 1 and isinstance(passed[0], (list, tuple)) else passed


def _spacing(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
    spacing = kwargs.get("spacing")
    return [*spacing, first(args, kwargs)] if isinstance(spacing, (list, tuple)) else ()


_KEYWORD = sys.maxsize
"""The position of a keyword-only argument."""

_GRID = ComparedDevices(_all, "meshgrid expects all tensors to have the same device")
_INNER = ComparedDevices(
    _arguments(input=0, other=1),
    "Expected tensor to have {type_one} DeviceType, but got tensor with {type_other} DeviceType "
    "(while checking arguments for inner())",
)
_QUANTILE = ComparedDevices(
    _arguments(input=0, q=1), "quantile() q tensor must be on the same device as the input tensor"
)
_ALONG = ComparedDevices(
    _arguments(input=0, indices=1),
    "Expected tensor to have {one} Device, but got tensor with {other} Device "
    "(while checking arguments for torch.take_along_dim():)",
)
_STFT = "input and window must be on the same device but got self on {one} and window on {other}"

COMPARISONS: dict[Any, ComparedDevices] = {
    torch.block_diag: ComparedDevices(
        _all,
        "torch.block_diag: input tensors must all be on the same device. Input 0 is on device {one} and "
        "input {place} is on device {other}",
    ),
    torch.cartesian_prod: _GRID,
    torch.cholesky_solve: ComparedDevices(
        _arguments(input=0, input2=1),
        "Expected b and A to be on the same device, but found b on {one} and A on {other} instead.",
    ),
    torch.functional.meshgrid: _GRID,
    torch.gradient: ComparedDevices(
        _spacing,
        "torch.gradient expected each tensor to be on the same device, but got devices {one} and {other}!",
    ),
    torch.inner: _INNER,
    Tensor.inner: _INNER,
    torch.istft: ComparedDevices(_arguments(input=0, window=4), f"istft {_STFT}"),
    torch.linalg.multi_dot: ComparedDevices(
        _all,
        "multi_dot(): all tensors must be on the same device but tensor 0 is on {one} and tensor {place} "
        "on {other}",
    ),
    torch.nanquantile: _QUANTILE,
    torch.quantile: _QUANTILE,
    Tensor.nanquantile: _QUANTILE,
    Tensor.quantile: _QUANTILE,
    torch.searchsorted: ComparedDevices(
        _arguments(sorter=_KEYWORD, input=1),
        "torch.searchsorted(): sorter and boundary tensors should have same device type, but got sorter "
        "tensor device type {one} and input value tensor device type {other}",
    ),
    torch.take_along_dim: _ALONG,
    Tensor.take_along_dim: _ALONG,
    torch.functional.stft: ComparedDevices(_arguments(input=0, window=4), f"stft {_STFT}"),
}


def _compare(comparison: ComparedDevices) -> Handler:
    def check(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        if (error := _error(comparison, args, kwargs)) is not None:
            layer.refuse(error, func, args, kwargs)
        return layer.scope.run(func, args, kwargs)

    return check


def _error(comparison: ComparedDevices, args: Arguments, kwargs: Keywords) -> Exception | None:
    tensors = [value for value in comparison.pick(args, kwargs) if isinstance(value, Tensor)]
    one, *others = [label_of(tensor) or HOST for tensor in tensors] or [HOST]
    for place, other in enumerate(others, start=1):
        if other != one:
            words = {"one": one, "other": other, "type_one": one.type, "type_other": other.type}
            return RuntimeError(comparison.text.format(place=place, **words))
    return None


HANDLERS: dict[Any, Handler] = {
    function: _compare(comparison) for function, comparison in COMPARISONS.items()
}
