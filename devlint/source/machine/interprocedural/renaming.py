"""A stored result applied to another call with an equal context."""

from __future__ import annotations

from devlint.model import Origin
from devlint.source.machine.domain.inputs import born_in
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import (
    Input,
    Method,
    Object,
    Reference,
    Tensor,
    Union,
    Value,
    changed,
    new_serial,
)
from devlint.source.machine.heap.objects import BoundMethod, Container, Instance, ModuleFile
from devlint.source.machine.interprocedural.context_keys import Atoms


class Renaming:
    """The loops and inputs of one call, mapped to those of another one that take their places."""

    def __init__(self, before: Atoms, after: Atoms) -> None:
        self._loops: dict[Loop, Loop] = {}
        self._inputs: dict[Input, Input] = {}
        for one, other in zip(before, after, strict=True):
            if isinstance(one, Loop) and isinstance(other, Loop):
                self._loops[one] = other
            elif isinstance(one, Input) and isinstance(other, Input):
                self._inputs[one] = other

    def loop(self, loop: Loop | None) -> Loop | None:
        """A loop in the other call. A loop inside of the call is copied."""
        if loop is None:
            return None
        known = self._loops.get(loop)
        if known is None:
            outer = self.loop(loop.outer)
            known = self._loops[loop] = loop if outer is loop.outer else loop.inside(outer)
        return known

    def input(self, held: Input) -> Input:
        """An input in the other call. An input that first appears inside of the call is copied."""
        known = self._inputs.get(held)
        if known is None:
            born = self.loop(held.born)
            known = self._inputs[held] = held if born is held.born else born_in(held, born)
        return known

    def serials(self) -> dict[int, int]:
        """The serial numbers of the inputs when they count as tensors."""
        return {id(one): id(other) for one, other in self._inputs.items()}


class Copying:
    """Copies the values of one call for another one.

    Objects that the call created are created again; objects that it was given are replaced by those that are
    given now.
    """

    def __init__(
        self,
        begun: int,
        renaming: Renaming,
        objects: dict[Object, Object],
        tensors: tuple[tuple[Tensor, Tensor], ...],
    ) -> None:
        """Objects that the call created have a greater number than `begun`. `objects` and `tensors` map those
        that it was given to those that are given now."""
        self._begun = begun
        self._renaming = renaming
        self._objects = objects
        self._serials = renaming.serials() | {one.serial: other.serial for one, other in tensors}
        self._origins = [(one.origin, other.origin) for one, other in tensors if one.origin != other.origin]

    def value(self, held: Value) -> Value:
        """A value in the other call."""
        match held:
            case Tensor():
                return self._tensor(held)
            case Input():
                return self._renaming.input(held)
            case Union():
                return Union(tuple(map(self.value, held.alternatives)))
            case Method():
                return Method(self.value(held.receiver), held.name)
            case Reference():
                return Reference(self.object(held.target))
            case _:
                return held

    def object(self, held: Object) -> Object:
        """An object in the other call."""
        known = self._objects.get(held)
        if known is not None:
            return known
        if held.number <= self._begun:
            return held
        match held:
            case Container():
                return self._container(held)
            case Instance():
                return self._instance(held)
            case BoundMethod():
                made = self._objects[held] = BoundMethod(held.function, self.value(held.receiver))
                return made
            case _:
                return held

    def _tensor(self, held: Tensor) -> Tensor:
        serial = held.serial
        return changed(
            held,
            serial=new_serial() if serial > self._begun else self._serials.get(serial, serial),
            origin=self._origin(held.origin),
            born=self._renaming.loop(held.born),
            source=None if held.source is None else self._renaming.input(held.source),
        )

    def _origin(self, held: Origin) -> Origin:
        """The origin in the other call: that of the argument, followed by the steps that the call added."""
        for before, now in self._origins:
            count = len(before.steps)
            if count and held.steps[:count] == before.steps:
                return Origin((*now.steps, *held.steps[count:]))
        return held

    def _container(self, held: Container) -> Container:
        made = self._objects[held] = Container(held.kind)
        made.born = self._renaming.loop(held.born)
        made.kept = held.kept
        made.cells = {key: self.value(each) for key, each in held.cells.items()}
        return made

    def _instance(self, held: Instance) -> Instance:
        made = self._objects[held] = Instance(held.of, held.made)
        made.drawn = self._renaming.loop(held.drawn)
        made.left_out = held.left_out
        made.arguments = {name: self.value(each) for name, each in held.arguments.items()}
        made.cells = {name: self.value(each) for name, each in held.cells.items()}
        return made


def can_be_copied(held: Value, begun: int, seen: set[Object] | None = None) -> bool:
    """Whether all objects that a call created and that are reachable from a value can be copied."""
    seen = set() if seen is None else seen
    if isinstance(held, Union):
        return all(can_be_copied(each, begun, seen) for each in held.alternatives)
    if isinstance(held, Method):
        return can_be_copied(held.receiver, begun, seen)
    if not isinstance(held, Reference):
        return True
    target = held.target
    if target.number <= begun or target in seen:
        return True
    seen.add(target)
    match target:
        case Container():
            return all(can_be_copied(each, begun, seen) for each in target.cells.values())
        case Instance():
            values = (*target.cells.values(), *target.arguments.values())
            return all(can_be_copied(each, begun, seen) for each in values)
        case BoundMethod():
            return target.function.number <= begun and can_be_copied(target.receiver, begun, seen)
        case _:
            return isinstance(target, ModuleFile)
