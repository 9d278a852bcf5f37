"""Access of other libraries to the memory of tensors, which is impossible on a device."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from devlint.simulation import errors
from devlint.simulation.calls.arguments import argument
from devlint.simulation.calls.moves import transfer
from devlint.simulation.labels import handles_kernels, label_of
from devlint.simulation.layer import Handler, Layer

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]

_DLPACK_TYPES = {"cuda": 2, "xpu": 14, "mps": 8}
"""DLPack's numbers for devices (dlpack.h)."""
_NO_STREAM = (None, -1)
"""The values for no stream, by torch's version."""


def _numpy(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    label = label_of(args[0])
    if handles_kernels(type(args[0])):
        return layer.scope.run(func, args, kwargs)  # torch refuses it on any device
    if label is not None and kwargs.get("force"):
        return func(transfer(layer, args[0].detach(), "cpu"), **kwargs)
    if label is not None:
        layer.refuse(errors.array(label), func, args, kwargs)
    return layer.scope.run(func, args, kwargs)


def _dlpack_device(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    label = label_of(args[0])
    if label is None:
        return func(*args, **kwargs)
    return _DLPACK_TYPES[label.type], label.index


def _dlpack(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Libraries that support devices pass a stream. NumPy does not, and cannot read from devices."""
    label = label_of(args[0])
    if label is None:
        return func(*args, **kwargs)
    if label.type == "cuda" and label.index != layer.devices.current:
        layer.refuse(errors.export(label.index, layer.devices.current), func, args, kwargs)
    if argument(args, kwargs, 1, "stream") in _NO_STREAM:  # by position in torch 2.6
        layer.refuse(errors.unsupported_by_numpy(), func, args, kwargs)
    return layer.scope.run(func, args[:1], kwargs | {"stream": None})


def _share_memory(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Memory of a device is always shareable."""
    return func(*args, **kwargs) if label_of(args[0]) is None else args[0]


def _is_shared(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    return label_of(args[0]) is not None or func(*args, **kwargs)


HANDLERS: dict[Any, Handler] = {
    Tensor.numpy: _numpy,
    Tensor.__array__: _numpy,
    Tensor.__dlpack__: _dlpack,
    Tensor.__dlpack_device__: _dlpack_device,
    Tensor.share_memory_: _share_memory,
    Tensor.is_shared: _is_shared,
}
