"""What a tensor says of itself: its device, its type, its text."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from devlint.runtime.simulation.labels import label_of
from devlint.runtime.simulation.layer import Handler, Layer

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]


def _device(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    return label_of(args[0]) or func(*args, **kwargs)


def _get_device(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    label = label_of(args[0])
    return func(*args, **kwargs) if label is None else label.index


def _is_cpu(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    return label_of(args[0]) is None and func(*args, **kwargs)


def _is_on(device_type: str) -> Handler:
    def answer(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        label = label_of(args[0])
        return func(*args, **kwargs) if label is None else label.type == device_type

    return answer


def _text(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Printing reads the tensor; `printing` puts the device into the text."""
    outer, layer.scope.printed = layer.scope.printed, label_of(args[0])
    try:
        return layer.scope.run(func, args, kwargs)
    finally:
        layer.scope.printed = outer


def _array_interface(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    if label_of(args[0]) is None:
        return func(*args, **kwargs)
    raise AttributeError("simulated devices have no memory that other libraries could read")


HANDLERS: dict[Any, Handler] = {
    Tensor.device.__get__: _device,
    Tensor.is_cpu.__get__: _is_cpu,
    Tensor.is_cuda.__get__: _is_on("cuda"),
    Tensor.is_xpu.__get__: _is_on("xpu"),
    Tensor.is_mps.__get__: _is_on("mps"),
    Tensor.get_device: _get_device,
    torch.get_device: _get_device,
    Tensor.__repr__: _text,
    Tensor.__format__: _text,
    Tensor.__cuda_array_interface__.__get__: _array_interface,  # type: ignore[attr-defined]
}
