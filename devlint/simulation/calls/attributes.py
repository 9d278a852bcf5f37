"""Attributes of tensors that depend on the device: device, type, text."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from devlint.simulation.calls.arguments import first
from devlint.simulation.labels import label_of
from devlint.simulation.layer import Handler, Layer
from devlint.simulation.program_errors import for_program

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]


def _device(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    return label_of(args[0]) or func(*args, **kwargs)


def _get_device(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    label = label_of(first(args, kwargs))
    return func(*args, **kwargs) if label is None else label.index


def _is_cpu(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    return label_of(args[0]) is None and func(*args, **kwargs)


def _is_on(device_type: str) -> Handler:
    def answer(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        label = label_of(args[0])
        return func(*args, **kwargs) if label is None else label.type == device_type

    return answer


def _text(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Printing reads the tensor; `printing` adds the device to the text."""
    outer, layer.scope.printed = layer.scope.printed, label_of(args[0])
    try:
        return layer.scope.run(func, args, kwargs)
    finally:
        layer.scope.printed = outer


def _array_interface(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    if label_of(args[0]) is None:
        return func(*args, **kwargs)
    raise for_program(AttributeError("simulated devices have no memory that other libraries could read"))


def getter(name: str) -> Any:
    """The function that modes get when an attribute of a tensor is read."""
    return getattr(Tensor, name).__get__


HANDLERS: dict[Any, Handler] = {
    getter("device"): _device,
    getter("is_cpu"): _is_cpu,
    getter("is_cuda"): _is_on("cuda"),
    getter("is_xpu"): _is_on("xpu"),
    getter("is_mps"): _is_on("mps"),
    Tensor.get_device: _get_device,
    torch.get_device: _get_device,
    Tensor.__repr__: _text,
    Tensor.__format__: _text,
    getter("__cuda_array_interface__"): _array_interface,
}
