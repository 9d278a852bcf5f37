"""What test code hands to the library is put on the device, in place: a device is a label on memory."""

from __future__ import annotations

import dataclasses
import functools
import weakref
from argparse import Namespace
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MethodType, SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from devlint.runtime.lift.owners import Owner
from devlint.simulation.labels import label_of, set_label

_KEPT = "devlint_kept_on_host"
_LARGEST = 10_000
"""Containers with more elements than this are looked into no further."""
_DEEPEST = 8

OwnerOf = Callable[[type], Owner]
IsBeingMade = Callable[[nn.Module], bool]


class DeviceMover:
    """Puts values on a device: tensors, containers of them, modules, and objects that can be moved.

    A module is moved once, by its parameters and buffers, as `.to()` moves it: what the library adds to it
    later stays where the library puts it. So is an object of the library or of third parties, if it has a
    `.to()` or `.cuda()`; one that has neither cannot be moved by its users, and is left as it was made, but
    for the modules that it keeps: their users have moved them before they gave them to it.
    """

    def __init__(self, owner_of: OwnerOf) -> None:
        self._owner_of = owner_of
        self._modules: weakref.WeakSet[nn.Module] = weakref.WeakSet()
        self._objects: dict[int, weakref.ref[Any]] = {}

    def start_over(self) -> None:
        """Move everything once more: it goes to another device."""
        self._modules.clear()
        self._objects.clear()

    def put(self, value: Any, device: torch.device, is_being_made: IsBeingMade) -> None:
        """Put a value on a device, and what it holds; modules that are still being made are left alone."""
        _Move(self, device, is_being_made).put(value, 0)

    def moves_now(self, module: nn.Module) -> bool:
        """Whether a module has not been moved yet; it counts as moved from now on."""
        if module in self._modules:
            return False
        self._modules.add(module)
        return True

    def may_hold_module(self, value: Any) -> bool:
        """Whether a value is a module, or an object of the library or of third parties that may keep one."""
        if isinstance(value, nn.Module):
            return True
        is_plain = isinstance(value, (Tensor, *_PLAIN, list, tuple, set, frozenset, Mapping))
        return not is_plain and self._owner_of(type(value)) is not Owner.NOBODY

    def moves_itself(self, module: nn.Module) -> bool:
        """Whether a class says itself what `.to()` moves, beside what is registered, as metrics do."""
        kind = type(module)
        return kind._apply is not nn.Module._apply and self._owner_of(kind) is not Owner.NOBODY

    def looks_into(self, value: Any) -> bool:
        """Whether an object is one whose tensors are moved, and has not been moved yet."""
        owner = self._owner_of(type(value))
        if owner is Owner.TEST or (owner is Owner.NOBODY and _is_open(value)):
            return True
        if owner is Owner.NOBODY or not any(
            callable(getattr(type(value), name, None)) for name in ("to", "cuda")
        ):
            return False
        known = self._objects.get(id(value))
        if known is not None and known() is value:
            return False
        try:
            self._objects[id(value)] = weakref.ref(value)
        except TypeError:  # it cannot be referred to weakly, and is moved each time
            return True
        return True


class _Move:
    """One value that is moved with all that it holds."""

    def __init__(self, mover: DeviceMover, device: torch.device, is_being_made: IsBeingMade) -> None:
        self._mover = mover
        self._device = device
        self._is_being_made = is_being_made
        self._seen: set[int] = set()

    def put(self, value: Any, depth: int) -> None:
        if isinstance(value, Tensor):
            put_tensor(value, self._device)
            return
        if isinstance(value, _PLAIN) or depth > _DEEPEST or id(value) in self._seen:
            return
        self._seen.add(id(value))
        if isinstance(value, nn.Module):
            self._put_module(value)
            return
        for part in self._parts(value):
            self.put(part, depth + 1)

    def _put_module(self, module: nn.Module) -> None:
        if self._is_being_made(module):
            return
        for each in module.modules():
            if not self._is_being_made(each) and self._mover.moves_now(each):
                for tensor in (*each._parameters.values(), *each._buffers.values()):
                    if tensor is not None:
                        put_tensor(tensor, self._device)
                if self._mover.moves_itself(each):
                    each._apply(self._placed)  # type: ignore[no-untyped-call] # torch is untyped here

    def _placed(self, tensor: Tensor) -> Tensor:
        put_tensor(tensor, self._device)
        return tensor

    def _parts(self, value: Any) -> Iterable[Any]:
        if isinstance(value, Mapping):
            return _few(value, value.values())
        if isinstance(value, (list, tuple, set, frozenset)):
            return _few(value, value)
        if isinstance(value, MethodType):
            return (value.__self__,)
        if isinstance(value, functools.partial):
            return (*value.args, *value.keywords.values())
        if dataclasses.is_dataclass(value) or self._mover.looks_into(value):
            return _attributes(value)
        return filter(self._mover.may_hold_module, _attributes(value))


def put_tensor(tensor: Tensor, device: torch.device) -> None:
    """Put a host tensor, or one on another simulated device, on a device, with its gradient."""
    with torch._C.DisableTorchFunctionSubclass():
        is_real = tensor.device.type == "cpu"
        gradient = tensor.grad if tensor.is_leaf else None
    if not is_real or label_of(tensor) is device or is_kept(tensor):
        return
    set_label(tensor, device)
    if gradient is not None:
        put_tensor(gradient, device)


def keep_on_host(tensor: Tensor) -> None:
    """Remember that a test has put a tensor on the host by name, so that it stays there."""
    memory = _memory(tensor)
    if memory is not None:
        memory[_KEPT] = True


def is_kept(tensor: Tensor) -> bool:
    """Whether a test has put a tensor on the host by name."""
    memory = _memory(tensor)
    return memory is not None and _KEPT in memory


def _memory(tensor: Tensor) -> dict[str, Any] | None:
    """The attributes of a tensor's memory; None where it has none of its own."""
    try:
        with torch._C.DisableTorchFunctionSubclass():
            return vars(tensor.untyped_storage())
    except NotImplementedError:
        return None


def _few(container: Collection[Any], values: Iterable[Any]) -> Iterable[Any]:
    return list(values) if len(container) <= _LARGEST else ()


def _attributes(value: Any) -> Iterator[Any]:
    yield from list(getattr(value, "__dict__", {}).values())
    for kind in type(value).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            yield getattr(value, name, None)


def _is_open(value: Any) -> bool:
    """Whether an object of torch or the standard library is one that may hold tensors of a test."""
    return isinstance(value, (SimpleNamespace, Namespace)) or type(value).__module__.startswith("torch.")


_PLAIN = (
    *(str, bytes, int, float, complex, bool, type(None), type, torch.dtype, torch.device, torch.Size),
    *(type(torch), type(lambda: None), type(len), torch._C.Generator),
)
"""What holds no tensor, or is not looked into: numbers, names, functions, classes, modules of Python."""
