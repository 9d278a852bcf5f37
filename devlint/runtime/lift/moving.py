"""Moving the arguments that test code passes to the library, in place: a device is a label on memory."""

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
"""Larger containers are not searched."""
_DEEPEST = 8

OwnerOf = Callable[[type], Owner]
IsBeingMade = Callable[[nn.Module], bool]


class DeviceMover:
    """Moves values to a device: tensors, containers of them, modules, and objects that can be moved.

    A module is moved once, by its parameters and buffers, like `.to()`; what the library adds later stays
    where the library puts it. An object of the library or of third parties is moved once, too, if it has a
    `.to()` or `.cuda()`. Without one, its users cannot move it, so that only the modules in it are moved,
    which users would have moved before passing them.
    """

    def __init__(self, owner_of: OwnerOf) -> None:
        self._owner_of = owner_of
        self._modules: weakref.WeakSet[nn.Module] = weakref.WeakSet()
        self._objects: dict[int, weakref.ref[Any]] = {}

    def start_over(self) -> None:
        """Forget what was moved, because the device changes."""
        self._modules.clear()
        self._objects.clear()

    def put(self, value: Any, device: torch.device, is_being_made: IsBeingMade) -> None:
        """Move a value and its content to a device, except modules that are still being constructed."""
        _Move(self, device, is_being_made).put(value, 0)

    def moves_now(self, module: nn.Module) -> bool:
        """Whether a module was not moved yet. Marks it as moved."""
        if module in self._modules:
            return False
        self._modules.add(module)
        return True

    def may_hold_module(self, value: Any) -> bool:
        """Whether a value is a module, or an object of the library or of third parties that may contain
        one."""
        if isinstance(value, nn.Module):
            return True
        is_plain = isinstance(value, (Tensor, *_PLAIN, list, tuple, set, frozenset, Mapping))
        return not is_plain and self._owner_of(type(value)) is not Owner.NOBODY

    def moves_itself(self, module: nn.Module) -> bool:
        """Whether a class itself defines what `.to()` moves, besides registered tensors, as metrics do."""
        kind = type(module)
        return kind._apply is not nn.Module._apply and self._owner_of(kind) is not Owner.NOBODY

    def looks_into(self, value: Any) -> bool:
        """Whether the tensors of an object are to be moved, and were not moved yet."""
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
        except TypeError:  # without support for weak references, it is moved each time
            return True
        return True


class _Move:
    """The move of one value with its content."""

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
    """Move a host tensor, or one on another simulated device, to a device, with its gradient."""
    with torch._C.DisableTorchFunctionSubclass():
        is_real = tensor.device.type == "cpu"
        gradient = tensor.grad if tensor.is_leaf else None
    if not is_real or label_of(tensor) is device or is_kept(tensor):
        return
    set_label(tensor, device)
    if gradient is not None:
        put_tensor(gradient, device)


def keep_on_host(tensor: Tensor) -> None:
    """Record that a test explicitly put a tensor on the host, so that it stays there."""
    memory = memory_of(tensor)
    if memory is not None:
        memory[_KEPT] = True


def is_kept(tensor: Tensor) -> bool:
    """Whether a test explicitly put a tensor on the host."""
    memory = memory_of(tensor)
    return memory is not None and _KEPT in memory


def memory_of(tensor: Tensor) -> dict[str, Any] | None:
    """The attributes of a tensor's memory; None if it has no memory of its own."""
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
    """Whether an object of torch or the standard library may contain tensors of a test."""
    return isinstance(value, (SimpleNamespace, Namespace)) or type(value).__module__.startswith("torch.")


_PLAIN = (
    *(str, bytes, int, float, complex, bool, type(None), type, torch.dtype, torch.device, torch.Size),
    *(type(torch), type(lambda: None), type(len), torch._C.Generator),
)
"""Types without tensors, or that are not searched: numbers, names, functions, classes, Python modules."""
