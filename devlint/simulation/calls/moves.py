"""Moves between devices: `.to()` in all its forms, `.cuda()`, `.cpu()`, `.type()`, pinning.

A move is a differentiable copy to other memory, as on real devices.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from devlint.simulation import errors
from devlint.simulation.calls.arguments import argument
from devlint.simulation.devices import HOST
from devlint.simulation.labels import handles_kernels, is_pinned, label_of, mark_pinned, set_label
from devlint.simulation.layer import Handler, Layer
from devlint.simulation.legacy import legacy_name, parse_legacy
from devlint.simulation.program_errors import for_program
from devlint.tensors.dtypes import is_dtype

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]
Label = torch.device | None


class ToCopy(torch.autograd.Function):
    """A copy to another device; the gradient is copied back. Its name in prints is like that of torch."""

    generate_vmap_rule = True

    @staticmethod
    def forward(tensor: Tensor, _: Label, target: Label, memory_format: torch.memory_format) -> Tensor:
        return _copy(tensor, target, memory_format)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], _: Any) -> None:
        _tensor, ctx.source, ctx.target, _format = inputs

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        # Under the name that a program uses, so that observers see source and target.
        back = gradient if label_of(gradient) is ctx.source else gradient.to(ctx.source or HOST)
        return back, None, None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, *_: Any) -> Tensor:
        return _copy(tangent, ctx.target, torch.preserve_format)


def moved(
    tensor: Tensor, target: Label, memory_format: torch.memory_format = torch.preserve_format
) -> Tensor:
    """A copy of a tensor on another device, recorded by autograd."""
    if tensor.requires_grad and torch.is_grad_enabled():
        copy: Tensor = ToCopy.apply(tensor, label_of(tensor), target, memory_format)  # type: ignore[no-untyped-call]
        return copy
    return _copy(tensor, target, memory_format)


def _copy(tensor: Tensor, target: Label, memory_format: torch.memory_format) -> Tensor:
    if handles_kernels(type(tensor)):  # its class gets the device, and moves the wrapped tensors
        with torch._C.DisableTorchFunction():
            whole: Tensor = torch.ops.aten._to_copy.default(
                tensor, device=target or HOST, memory_format=memory_format
            )
        return whole
    options = {"memory_format": memory_format} if tensor.layout is torch.strided else {}
    copy: Tensor = Tensor.to(tensor, "cpu", copy=True, **options)  # type: ignore[call-overload]
    set_label(copy, target)
    return copy


def transfer(layer: Layer, tensor: Tensor, device: Any, func: Any = Tensor.to, **options: Any) -> Tensor:
    """The result of `tensor.to(device, **options)`: the tensor itself if nothing changes."""
    place = layer.devices.place(device)
    real, target = layer.devices.real(place), layer.devices.label(place)
    if real.type != "cpu" or tensor.is_meta:
        return layer.scope.run(func, (tensor, real), options, None)  # type: ignore[no-any-return] # a tensor
    # Torch would pass the real device to a class that handles kernels.
    is_told = bool(options.get("copy")) and handles_kernels(type(tensor))
    if target is label_of(tensor) and not is_told:
        return layer.scope.run(func, (tensor,), options)  # type: ignore[no-any-return] # a tensor
    memory_format = options.pop("memory_format", None) or torch.preserve_format
    dtype = options.get("dtype")
    copy = layer.scope.run(moved, (tensor, target, memory_format), {})
    if dtype is not None and dtype is not copy.dtype:
        copy = layer.scope.run(func, (copy,), {"dtype": dtype, "memory_format": memory_format})
    return copy  # type: ignore[no-any-return] # a tensor


_AFTER_DEVICE = ("dtype", "non_blocking", "copy")
_AFTER_OTHER = ("non_blocking", "copy")


def _to(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    tensor, *passed = args
    options = dict(kwargs)
    if passed and is_dtype(passed[0]):
        return layer.scope.run(func, args, kwargs)
    other = passed[0] if passed and isinstance(passed[0], Tensor) else options.pop("tensor", None)
    if other is not None:
        options |= dict(zip(_AFTER_OTHER, passed[1:], strict=False))
        options["dtype"] = other.dtype
        return transfer(layer, tensor, label_of(other) or other.device, func, **options)
    device = passed[0] if passed else options.pop("device", None)
    options |= dict(zip(_AFTER_DEVICE, passed[1:], strict=False))
    if device is None:
        return layer.scope.run(func, (tensor,), options)
    return transfer(layer, tensor, device, func, **options)


def _operator(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`torch.ops.aten.to`, which is `Tensor.to` with the same names for its arguments."""
    return _to(layer, Tensor.to, args, kwargs)


def _parse_to(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Parse the arguments of `Module.to`. Torch's parser knows neither labels nor indices of missing
    devices."""

    def named(value: Any) -> Any:
        is_index = isinstance(value, int) and not isinstance(value, bool)
        return layer.devices.at(value) if is_index else value

    device, *others = func(*map(named, args), **{name: named(value) for name, value in kwargs.items()})
    like = next((value for value in (*args, kwargs.get("tensor")) if isinstance(value, Tensor)), None)
    return (device if like is None else label_of(like) or device, *others)


def _to_accelerator(device_type: str) -> Handler:
    def move(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        if layer.devices.type != device_type:
            return func(*args, **kwargs)
        device = argument(args, kwargs, 1, "device")
        wanted = device_type if device is None else device
        return transfer(layer, args[0], wanted, memory_format=kwargs.get("memory_format"))

    return move


def _cpu(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    if label_of(args[0]) is None:
        return layer.scope.run(func, args, kwargs)
    return transfer(layer, args[0], "cpu", memory_format=kwargs.get("memory_format"))


def _type(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`.type()` returns the legacy name, which includes the device; `.type(name)` moves."""
    tensor, wanted = args[0], argument(args, kwargs, 1, "dtype")
    if wanted is None:
        return legacy_name(tensor)
    legacy = parse_legacy(wanted)
    if legacy is None:
        return layer.scope.run(func, args, kwargs)
    device_type, dtype = legacy
    label = label_of(tensor)
    stays = label is not None and label.type == device_type
    return transfer(layer, tensor, label if stays else device_type, dtype=dtype)


def _type_as(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    other = argument(args, kwargs, 1, "other")
    return transfer(layer, args[0], label_of(other) or other.device, dtype=other.dtype)


def _pin(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    tensor = args[0]
    if label_of(tensor) is not None:
        raise for_program(errors.pinning(legacy_name(tensor)))
    if is_pinned(tensor):
        return tensor
    copy = layer.scope.run(Tensor.clone, (tensor,), {}, None)
    mark_pinned(copy)
    return copy


def _is_pinned(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    return label_of(args[0]) is None and is_pinned(args[0])


HANDLERS: dict[Any, Handler] = {
    Tensor.to: _to,
    Tensor.cuda: _to_accelerator("cuda"),
    Tensor.xpu: _to_accelerator("xpu"),
    Tensor.cpu: _cpu,
    Tensor.type: _type,
    Tensor.type_as: _type_as,
    Tensor.pin_memory: _pin,
    Tensor.is_pinned: _is_pinned,
    torch._C._nn._parse_to: _parse_to,
    torch.ops.aten.to: _operator,
    torch.ops.aten.to.device: _operator,
    torch.ops.aten.to.other: _operator,
    torch.ops.aten.to.dtype_layout: _operator,
}
