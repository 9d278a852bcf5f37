"""Functions that compare the device of `out=` themselves, with their own error texts."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, linalg

from devlint.simulation import errors
from devlint.simulation.calls.arguments import first
from devlint.simulation.devices import HOST
from devlint.simulation.labels import label_of
from devlint.simulation.layer import Handler, Layer

_LINALG = (
    "Expected result and input tensors to be on the same device, but got result on {out} and input on {input}"
)
_SWAPPED = (
    "Expected result and input tensors to be on the same device, but got result on {input} and input on {out}"
)
"""Norms exchange the two devices."""
_TENSORDOT = (
    "tensordot: Expected the output and input tensors to be on the same device, but got the output tensor on "
    "{out}, input tensor a on {input}, and input tensor b on {input}"
)
_QUANTILE = "quantile() out tensor must be on the same device as the input tensor"

TEXTS: dict[Any, str] = {
    linalg.cond: f"linalg.cond: {_LINALG}",
    linalg.matrix_norm: f"linalg.matrix_norm: {_SWAPPED}",
    linalg.matrix_rank: f"torch.linalg.matrix_rank: {_LINALG}",
    linalg.norm: f"linalg.norm: {_SWAPPED}",
    linalg.pinv: f"linalg.pinv: {_LINALG}",
    linalg.tensorinv: f"tensorinv: {_LINALG}",
    linalg.tensorsolve: f"tensorsolve: {_LINALG}",
    torch.inner: _TENSORDOT,
    torch.nanquantile: _QUANTILE,
    torch.nuclear_norm: f"linalg.matrix_norm: {_SWAPPED}",
    torch.quantile: _QUANTILE,
    torch.tensordot: _TENSORDOT,
}
"""The error texts, with placeholders for the devices of `out` and of the first operand."""


def comparing(handlers: dict[Any, Handler]) -> dict[Any, Handler]:
    """Handlers of these functions that check `out=` first."""
    return {function: _compare(text, handlers.get(function)) for function, text in TEXTS.items()}


def _compare(text: str, then: Handler | None) -> Handler:
    def check(layer: Layer, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        out, source = kwargs.get("out"), first(args, kwargs)
        if isinstance(out, Tensor) and isinstance(source, Tensor) and label_of(out) is not label_of(source):
            places = label_of(out) or HOST, label_of(source) or HOST
            layer.refuse(errors.output_on_other_device(text, *places), func, args, kwargs)
        return layer.scope.run(func, args, kwargs) if then is None else then(layer, func, args, kwargs)

    return check
