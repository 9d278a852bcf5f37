"""Moves of a module that are not torch's: by methods and setters of the module's own class, and by methods of
plain objects that it holds, which torch's `to` does not reach."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.model import Confidence, Device
from devlint.source import ir
from devlint.source.machine.domain.values import DeviceValue, Object, Reference, alternatives
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.interprocedural.machine import AbstractMachine
from devlint.source.machine.interprocedural.rebinding import properties_that_move
from devlint.source.machine.modules import state


def move_in_its_own_way(machine: AbstractMachine, made: Class, module: Reference, device: Device) -> None:
    """Call a class's own `to` or `cuda`, and set its properties that move it: they may do more than torch's
    methods."""
    place = DeviceValue(device, confidence=Confidence.LIKELY)
    node = ir.Name(made.node.id, made.name)
    frame = Frame(made.file, made.file.scope)
    _call_mover(machine, module, place, frame, node)
    for name in properties_that_move(made):
        machine.set_attribute(module, name, place, frame, node)


def move_held_objects(machine: AbstractMachine, made: Class, module: Instance, device: Device) -> None:
    """Call `to` or `cuda` of the plain objects that a module keeps modules in: torch's `to` does not reach
    these, so those who use the module on an accelerator call the object's method themselves."""
    place = DeviceValue(device, confidence=Confidence.LIKELY)
    node = ir.Name(made.node.id, made.name)
    frame = Frame(made.file, made.file.scope)
    for each in list(_holders(module)):
        _call_mover(machine, Reference(each), place, frame, node)


def _call_mover(
    machine: AbstractMachine, owner: Reference, place: DeviceValue, frame: Frame, node: ir.Name
) -> None:
    to, cuda = (machine.method_of(owner, each) for each in ("to", "cuda"))
    if to is not None:
        machine.call(to, Call([Passed(place, node, frame.site(node))], frame, node))
    elif cuda is not None:
        machine.call(cuda, Call([], frame, node))


def _holders(module: Instance) -> Iterator[Instance]:
    """The objects of the project's plain classes that a module or one of its parts holds, alone or in a
    container, and that hold modules themselves."""
    seen: set[Instance] = set()
    for part in state.modules(module):
        for each in _held(part):
            is_plain = isinstance(each.of, Class) and not state.is_module(each)
            if is_plain and each not in seen and next(state.children(each), None) is not None:
                seen.add(each)
                yield each


def _held(owner: Object) -> Iterator[Instance]:
    for held in owner.cells.values():
        for each in alternatives(held):
            target = each.target if isinstance(each, Reference) else None
            if isinstance(target, Instance):
                yield target
            elif isinstance(target, Container) and isinstance(owner, Instance):
                yield from _held(target)
