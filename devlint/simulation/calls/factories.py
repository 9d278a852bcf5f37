"""Functions that create tensors from data, for which torch runs no kernel whose result could be labelled."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.utils import _device as default_device

from devlint.simulation import errors
from devlint.simulation.calls.arguments import argument
from devlint.simulation.calls.moves import transfer
from devlint.simulation.devices import HOST
from devlint.simulation.labels import label_of, set_label
from devlint.simulation.layer import Handler, Layer
from devlint.simulation.scope import INHERIT

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]


def _tensor(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`torch.tensor`: always a copy; of a tensor, on the same device."""
    data = argument(args, kwargs, 0, "data")
    if isinstance(data, Tensor) and kwargs.get("device") is None and default_device.CURRENT_DEVICE is None:
        label = label_of(data)
    else:
        asked, kwargs = layer.asked(func, kwargs)
        label = None if asked is INHERIT else asked
    kwargs.pop("pin_memory", None)
    result = layer.scope.run(func, args, kwargs, None)
    set_label(result, label)
    return result


def _as_tensor(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`torch.as_tensor` and `asarray`: share the memory of data that is on the right device."""
    data = argument(args, kwargs, 0, "data", "obj")
    passed = kwargs.get("device")
    device = default_device.CURRENT_DEVICE if passed is None else passed
    options = {name: value for name, value in kwargs.items() if name != "device"}
    if isinstance(data, Tensor):
        result = layer.scope.run(func, args, options)
    else:
        result = layer.scope.run(func, args, options | {"device": "cpu"}, None)
    return result if device is None else transfer(layer, result, device)


def _new(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`x.new(…)`: on the device of `x`, or on another device of its type."""
    own, device = label_of(args[0]) or HOST, kwargs.get("device")
    if device is not None and (asked := layer.devices.place(device)).type != own.type:
        layer.refuse(errors.legacy_device(own.type, asked.type), func, args, kwargs)
    return _new_tensor(layer, func, args, kwargs)


def _new_tensor(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`x.new_tensor(data)`: on the device of `x`, unless a device is given."""
    asked, kwargs = layer.asked(func, kwargs)
    label = label_of(args[0]) if asked is INHERIT else asked
    kwargs.pop("pin_memory", None)
    result = layer.scope.run(func, args, kwargs, label)
    set_label(result, label)
    return result


HANDLERS: dict[Any, Handler] = {
    torch.tensor: _tensor,
    torch.as_tensor: _as_tensor,
    torch.asarray: _as_tensor,
    Tensor.new_tensor: _new_tensor,
    Tensor.new: _new,
}
