"""Functions that say themselves where their operands have to be, or put their results somewhere of their own."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from devlint.runtime.simulation import errors
from devlint.runtime.simulation.devices import HOST
from devlint.runtime.simulation.labels import label_of, set_label
from devlint.runtime.simulation.layer import Handler, Layer

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]


def _set_gradient(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`x.grad = g` wants both on devices of one type."""
    tensor, gradient = args
    if isinstance(gradient, Tensor):
        at, wanted = (label_of(gradient) or HOST).type, (label_of(tensor) or HOST).type
        if at != wanted:
            layer.refuse(errors.gradient(at, wanted))
    return layer.scope.run(func, args, kwargs)


def _deepcopy(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """A copy lies where the original lies, its gradient too."""
    copy = layer.scope.run(func, args, kwargs)
    original = args[0]
    if label_of(original) is not None:
        set_label(copy, label_of(original))
    if original.grad is not None and copy.grad is not None:
        set_label(copy.grad, label_of(original.grad))
    return copy


def _attention(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`scaled_dot_product_attention` looks at its operands before it chooses a kernel."""
    given = [*args[:3], *(kwargs[name] for name in ("query", "key", "value")[len(args) :] if name in kwargs)]
    places = [label_of(tensor) or HOST for tensor in given]
    if len(set(places)) > 1:
        layer.refuse(errors.attention(*places))
    return layer.scope.run(func, args, kwargs)


def _recurrent(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`torch.lstm` and its kin want weights and state where the input is."""
    source = label_of(args[0])
    groups = [value for value in args if isinstance(value, (list, tuple)) and value]
    for value in groups[::-1]:
        for tensor in value:
            if isinstance(tensor, Tensor) and label_of(tensor) is not source:
                layer.refuse(
                    errors.recurrent("parameter", source or HOST, "parameter", label_of(tensor) or HOST)
                )
    return layer.scope.run(func, args, kwargs)


def _unpack(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`pad_packed_sequence` gives the lengths on the host."""
    result = layer.scope.run(func, args, kwargs)
    set_label(result[1], None)
    return result


HANDLERS: dict[Any, Handler] = {
    Tensor.grad.__set__: _set_gradient,  # type: ignore[attr-defined]
    Tensor.__deepcopy__: _deepcopy,
    functional.scaled_dot_product_attention: _attention,
    torch._VF._pad_packed_sequence: _unpack,  # type: ignore[attr-defined]
}
