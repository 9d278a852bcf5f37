"""The tensors of modules: where they are, and which of them `.to()` does not move."""

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
"""Attributes in which `nn.Module` stores its own state."""


@dataclass(frozen=True, slots=True)
class ModuleAttribute:
    """The attribute of a module that holds a tensor or, for `PLAIN_CONTAINER`, unregistered modules."""

    path: str
    """The path from the outermost module: `model.encoder.layers[0].mask`."""
    owner: str
    """The path of the module."""
    owner_class: str
    attribute: str
    """The name in that module, with the index in a container: `mask`, `masks[0]`."""
    kind: RegistrationKind
    device: Concrete | None = None
    reached: bool = True
    """Whether `.to()` of the outermost module moves the module with this attribute."""


class HeldTensor(NamedTuple):
    """A tensor and the attribute that holds it. It is dropped when the note has been written."""

    tensor: torch.Tensor
    owner: torch.nn.Module
    kept: ModuleAttribute


@dataclass(frozen=True, slots=True)
class Tree:
    """A module with all modules below it."""

    name: str
    held: tuple[HeldTensor, ...]
    containers: tuple[ModuleAttribute, ...]
    """Plain containers that hold modules."""
    named: bool = True
    """Whether the name is the program's name for the module; else it is the name of its class."""

    def holder_of(self, tensor: torch.Tensor) -> HeldTensor | None:
        """The entry of a tensor, else one that shares its memory; parameters and buffers come first."""
        same = next((held for held in self.held if held.tensor is tensor), None)
        memory = memory_of(tensor) if same is None else None
        if memory is None:
            return same
        sharing = [held for held in self.held if memory_of(held.tensor) == memory]
        return min(sharing, key=lambda held: held.kept.kind is RegistrationKind.PLAIN_TENSOR, default=None)


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """The devices of a module's parameters, buffers and other tensors."""

    name: str
    device: Concrete
    """The most frequent device."""
    parameters: int
    buffers: int
    """How many parameters and buffers are on `device`."""
    on_other_devices: tuple[ModuleAttribute, ...] = ()
    """Parameters and buffers on other devices; with any, only a part of the module was moved."""
    unreached: tuple[ModuleAttribute, ...] = ()
    """Plain tensors on other devices."""
    named: bool = True
    """Whether the name is the program's name for the module; else it is the name of its class."""
    containers: tuple[ModuleAttribute, ...] = ()
    """Plain containers that hold modules with tensors on other devices."""


def survey(root: torch.nn.Module, name: str) -> Tree:
    """Find all tensors of a module and the modules below it, in their attributes only.

    Without a name, the module is named after its class. Plain lists of registered parameters, as `nn.LSTM`
    has, are left out.
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
    """Summarize the devices of a module; None without parameters and buffers."""
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
        on_other_devices=tuple(kept for kept in away if _is_moved(kept)),
        unreached=tuple(kept for kept in away if kept.kind is RegistrationKind.PLAIN_TENSOR and kept.reached),
        containers=tuple(
            container
            for container in tree.containers
            if any(kept.path.startswith(container.path + "[") for kept in away)
        ),
    )


def common_device(tree: Tree) -> Concrete | None:
    """The device of all parameters and buffers; None if there are none or they are on several devices."""
    devices = {held.kept.device for held in tree.held if _is_moved(held.kept)}
    return devices.pop() if len(devices) == 1 else None


def _is_moved(kept: ModuleAttribute) -> bool:
    return kept.reached and kept.kind is not RegistrationKind.PLAIN_TENSOR


def _most(devices: Iterable[Concrete]) -> Concrete:
    """The most frequent device; an accelerator is preferred."""
    counted = Counter(devices)
    return max(counted, key=lambda device: (counted[device], is_accelerator(device)))


class _Surveyor:
    """Traverses a tree of modules. Each module is visited once."""

    def __init__(self) -> None:
        self.containers: list[ModuleAttribute] = []
        self._entered: set[int] = set()
        self._waiting: deque[tuple[torch.nn.Module, str, bool]] = deque()

    def walk(self, root: torch.nn.Module, name: str) -> Iterator[HeldTensor]:
        """The tensors of a module and of all modules below it, outer modules first."""
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
        """Unregistered tensors and modules, in attributes or in containers."""
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
                kept = ModuleAttribute(
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
    kept = ModuleAttribute(
        path + step, path, type(module).__name__, step.removeprefix("."), kind, device_of(tensor), reached
    )
    return HeldTensor(tensor, module, kept)


def _step(module: torch.nn.Module, key: str) -> str:
    """A key as it is written in a path: `['head']` is `.head`, `['0']` is `[0]`."""
    name = key[2:-2]
    if name.isdecimal():
        return f"[{name}]"
    return f".{name}" if name.isidentifier() and not issubclass(type(module), _DICTIONARIES) else key
