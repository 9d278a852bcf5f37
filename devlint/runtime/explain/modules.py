"""What modules keep, where it is, and what `.to()` does not reach."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch

from devlint.model import Concrete, RegistrationKind, is_accelerator
from devlint.runtime.explain.tensors import (
    attributes_of,
    device_of,
    is_module,
    is_tensor,
    items_of,
    memory_of,
    within,
)

MAX_MODULES = 20_000
_REGISTERED = (("_parameters", RegistrationKind.PARAMETER), ("_buffers", RegistrationKind.BUFFER))
_DICTIONARIES = (torch.nn.ModuleDict, torch.nn.ParameterDict)
_TORCHS_OWN = frozenset(vars(torch.nn.Module()))
"""Attributes in which `nn.Module` keeps its own books."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a module keeps a tensor, or, of kind `PLAIN_CONTAINER`, modules that it does not know of."""

    path: str
    """From the outermost module: `model.encoder.layers[0].mask`."""
    owner: str
    """The path of the module."""
    owner_class: str
    attribute: str
    """The name in that module, with the way into a container: `mask`, `masks[0]`."""
    kind: RegistrationKind
    device: Concrete | None = None
    reached: bool = True
    """Whether the outermost module's `.to()` comes to the module that keeps it."""


class HeldTensor(NamedTuple):
    """A tensor and where it is kept. It lives no longer than the making of a note."""

    tensor: torch.Tensor
    owner: torch.nn.Module
    kept: Kept


@dataclass(frozen=True, slots=True)
class Tree:
    """A module and all that is below it."""

    name: str
    held: tuple[HeldTensor, ...]
    containers: tuple[Kept, ...]
    """Plain containers with modules in them."""
    named: bool = True
    """Whether the program has that name for it; else it is that of its class."""

    def keeper_of(self, tensor: torch.Tensor) -> HeldTensor | None:
        """Where a tensor is kept: that very tensor, or else one in the same memory, registered ones first."""
        same = next((held for held in self.held if held.tensor is tensor), None)
        memory = memory_of(tensor) if same is None else None
        if memory is None:
            return same
        sharing = [held for held in self.held if memory_of(held.tensor) == memory]
        return min(sharing, key=lambda held: held.kept.kind is RegistrationKind.PLAIN_TENSOR, default=None)


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """Where a module's parameters and buffers are, and what is not with them."""

    name: str
    device: Concrete
    """Where most of them are."""
    parameters: int
    buffers: int
    """How many of each are there."""
    elsewhere: tuple[Kept, ...] = ()
    """Parameters and buffers on another device: the module is half moved."""
    unreached: tuple[Kept, ...] = ()
    """Plain tensors on another device."""
    named: bool = True
    """Whether the program has that name for it; else it is that of its class."""
    containers: tuple[Kept, ...] = ()
    """Plain containers with modules that have tensors on another device."""


def survey(root: torch.nn.Module, name: str) -> Tree:
    """All that a module and the modules below it keep, found in their attributes alone.

    Without a name it goes by that of its class. A plain list of registered parameters, as `nn.LSTM` has one,
    keeps nothing that is not known already.
    """
    surveyor = _Surveyor()
    shown = name or type(root).__name__
    found = list(surveyor.walk(root, shown))
    registered = {id(held.tensor) for held in found if held.kept.kind is not RegistrationKind.PLAIN_TENSOR}
    held = tuple(
        each
        for each in found
        if each.kept.kind is not RegistrationKind.PLAIN_TENSOR or id(each.tensor) not in registered
    )
    return Tree(shown, held, tuple(surveyor.containers), named=bool(name))


def facts(tree: Tree) -> ModuleFacts | None:
    """What a tree shows; None for a module without parameters and buffers."""
    registered = [held.kept for held in tree.held if _is_moved(held.kept)]
    if not registered:
        return None
    device = _most(kept.device for kept in registered if kept.device is not None)
    there = Counter(kept.kind for kept in registered if kept.device == device)
    away = [held.kept for held in tree.held if held.kept.device != device]
    return ModuleFacts(
        tree.name,
        device,
        there[RegistrationKind.PARAMETER],
        there[RegistrationKind.BUFFER],
        named=tree.named,
        elsewhere=tuple(kept for kept in away if _is_moved(kept)),
        unreached=tuple(kept for kept in away if kept.kind is RegistrationKind.PLAIN_TENSOR and kept.reached),
        containers=tuple(
            container
            for container in tree.containers
            if any(kept.path.startswith(container.path + "[") for kept in away)
        ),
    )


def common_device(tree: Tree) -> Concrete | None:
    """The device of all parameters and buffers; None where there are none or they are not together."""
    devices = {held.kept.device for held in tree.held if _is_moved(held.kept)}
    return devices.pop() if len(devices) == 1 else None


def _is_moved(kept: Kept) -> bool:
    return kept.reached and kept.kind is not RegistrationKind.PLAIN_TENSOR


def _most(devices: Iterable[Concrete]) -> Concrete:
    """The most frequent device; of equally frequent ones an accelerator."""
    counted = Counter(devices)
    return max(counted, key=lambda device: (counted[device], is_accelerator(device)))


class _Surveyor:
    """One walk over a tree of modules, each of which is entered once."""

    def __init__(self) -> None:
        self.containers: list[Kept] = []
        self._entered: set[int] = set()
        self._waiting: deque[tuple[torch.nn.Module, str, bool]] = deque()

    def walk(self, root: torch.nn.Module, name: str) -> Iterator[HeldTensor]:
        """The tensors of a module and of all below it, the outer ones first."""
        self._enter(root, name, reached=True)
        while self._waiting:
            module, path, reached = self._waiting.popleft()
            yield from self._registered(module, path, reached)
            yield from self._plain(module, path, reached)
            for key, child in items_of(attributes_of(module).get("_modules")):
                if is_module(child):
                    self._enter(child, path + _step(module, key), reached)

    def _enter(self, module: torch.nn.Module, path: str, reached: bool) -> None:
        if id(module) not in self._entered and len(self._entered) < MAX_MODULES:
            self._entered.add(id(module))
            self._waiting.append((module, path, reached))

    def _registered(self, module: torch.nn.Module, path: str, reached: bool) -> Iterator[HeldTensor]:
        for group, kind in _REGISTERED:
            for key, tensor in items_of(attributes_of(module).get(group)):
                if is_tensor(tensor):
                    yield _held(tensor, module, path, _step(module, key), kind, reached)

    def _plain(self, module: torch.nn.Module, path: str, reached: bool) -> Iterator[HeldTensor]:
        """Tensors and modules that `nn.Module` does not know of, as attributes or in containers."""
        for name, value in attributes_of(module).items():
            if name in _TORCHS_OWN:
                continue
            unknown = False
            for suffix, item in within(value):
                if is_tensor(item):
                    yield _held(
                        item, module, path, f".{name}{suffix}", RegistrationKind.PLAIN_TENSOR, reached
                    )
                elif is_module(item):
                    unknown = unknown or bool(suffix)
                    self._enter(item, f"{path}.{name}{suffix}", reached=False)
            if unknown:
                kept = Kept(
                    f"{path}.{name}", path, type(module).__name__, name, RegistrationKind.PLAIN_CONTAINER
                )
                self.containers.append(kept)


def _held(
    tensor: torch.Tensor,
    module: torch.nn.Module,
    path: str,
    step: str,
    kind: RegistrationKind,
    reached: bool,
) -> HeldTensor:
    kept = Kept(
        path + step, path, type(module).__name__, step.removeprefix("."), kind, device_of(tensor), reached
    )
    return HeldTensor(tensor, module, kept)


def _step(module: torch.nn.Module, key: str) -> str:
    """From a key to how the program reaches it: `['head']` is `.head`, `['0']` is `[0]`."""
    name = key[2:-2]
    if name.isdecimal():
        return f"[{name}]"
    return f".{name}" if name.isidentifier() and not issubclass(type(module), _DICTIONARIES) else key
