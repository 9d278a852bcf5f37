"""Tests whether there is an accelerator, and uses of one without such a test."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import CPU, Device, Setting, SettingKind, SiteId, is_accelerator, parse_device
from devlint.source import ir
from devlint.source.machine.domain.naming import device_named
from devlint.source.machine.domain.values import (
    DeviceValue,
    Known,
    NoAccelerator,
    Reference,
    Scalar,
    Value,
    changed,
)
from devlint.source.machine.heap.files import File
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.operators.accelerator import NO_DEVICES
from devlint.source.walk import Node, walk


def asks(test: Value) -> bool:
    """Whether a test asks for an accelerator, or for the absence of one."""
    return isinstance(test, NoAccelerator) or (isinstance(test, Scalar) and test.availability)


def asked(machine: Machine, test: Value, site: SiteId, *, goes_on: bool, chooses: bool = False) -> None:
    """Record that the program tests for an accelerator, whether it continues without one, and whether it then
    chooses another device."""
    facts = machine.process.facts
    if not asks(test) or machine.guarded:
        return
    if not goes_on:
        facts.needs_accelerator = True
    elif facts.questions:
        facts.asked = site if facts.asked is None else facts.asked
        if chooses and facts.fallback is None and not machine.execution.hypothesis:
            facts.fallback = site


_MOVES = frozenset({"cpu", "cuda", "to"})


def places(blocks: Sequence[Node]) -> bool:
    """Whether some code names a device or moves something: a test for an accelerator before it then chooses
    where the program works, and not only what it prints."""
    for node in walk(blocks):
        match node:
            case ir.CallExpression(function=ir.Attribute(name=name)) if name in _MOVES:
                return True
            case ir.Constant(value=str(text)) if parse_device(text) is not None:
                return True
            case ir.Attribute(value=ir.Attribute(name="cuda"), name=name) if name.endswith("Tensor"):
                return True  # `torch.cuda.FloatTensor`
    return False


def note_hard_coded(machine: Machine, site: SiteId, spelling: str) -> None:
    """Record a fixed accelerator type outside of branches that test for one."""
    if not machine.guarded:
        machine.setting(SettingKind.HARD_CODED, site, spelling)
    note_needed(machine, site, spelling)


def note_needed(machine: Machine, site: SiteId, spelling: str, function: str = "") -> None:
    """Record code that raises without an accelerator: a device that is named, or a call of a function."""
    facts = machine.process.facts
    without = machine.world.get(NO_DEVICES, False)
    if machine.guarded and not without:
        if facts.fallback is None and not machine.execution.hypothesis and not function:
            facts.fallback = facts.asked
        return
    if without and facts.needs_accelerator:
        return  # the program has ended
    unconditional = not machine.optional and not machine.execution.hypothesis
    if unconditional and (without or not machine.world) and machine.asks_for(SettingKind.BESIDE_FALLBACK):
        kind = SettingKind.BESIDE_FALLBACK
        facts.hard_coded.append(Setting(site, None, machine.root_confidence, kind, spelling, function))


def imported(machine: Machine, file: File, name: str, held: Value) -> Value:
    """What is imported of another file, where there is an accelerator or, in this run, none.

    The file was executed where there is one. A device that it has chosen, alone or in a container, is the
    choice of the program.
    """
    if file.choice is None or not _chooses(file, name):
        return held
    facts = machine.process.facts
    if isinstance(held, Reference):
        machine.read(held.target)
    parts = held.target.cells if isinstance(held, Reference) and isinstance(held.target, Container) else {}
    if any(map(_is_accelerator, (held, *parts.values()))):
        facts.fallback = file.choice if facts.fallback is None else facts.fallback
        if machine.world.get(NO_DEVICES):
            return _on_host(machine, held)
    return held


def _chooses(file: File, name: str) -> bool:
    """Whether the statement that gives a name its value contains the file's choice."""
    for statement in file.body:
        nodes = list(walk((statement,)))
        if any(isinstance(each, ir.Name) and each.name == name for each in nodes):
            return any(file.base + getattr(each, "id", -1) == file.choice for each in nodes)
    return False


def _is_accelerator(held: Value) -> bool:
    named = device_named(held)
    return named is not None and is_accelerator(named.device)


def _on_host(machine: Machine, held: Value) -> Value:
    """A device, or a container of some, where there is no accelerator."""
    match held:
        case DeviceValue():
            return changed(held, device=CPU)
        case Known():
            return Known(str(CPU))
        case Reference(target=Container(kind=kind, cells=cells)):
            made = Container(kind)
            made.cells = {
                key: _on_host(machine, each) if _is_accelerator(each) else each for key, each in cells.items()
            }
            return machine.adopt(made)
        case _:
            return held


def note_chosen(machine: Machine, device: Device | None) -> None:
    """Record that a string that the program was given, or has kept, names the device on which it works. On a
    machine without an accelerator the program ends there."""
    if machine.world.get(NO_DEVICES) and device is not None and is_accelerator(device):
        machine.process.facts.needs_accelerator = True


def needed(machine: Machine) -> list[Setting]:
    """The code of a run that raises without an accelerator, if the program chooses whether to use one."""
    facts = machine.process.facts
    return [] if facts.fallback is None or facts.needs_accelerator else facts.hard_coded


def settle(machine: Machine) -> None:
    """Record what raises without an accelerator in a program that chooses whether to use one."""
    for event in needed(machine):
        machine.note(changed(event, related=machine.process.facts.fallback))
