"""A stored result applied to another call with an equal context."""

from __future__ import annotations

from typing import TypeVar

from devlint.model import Origin
from devlint.source.machine.domain.inputs import Input, born_in, same_again
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import (
    TOP,
    Array,
    Method,
    Object,
    Reference,
    Tensor,
    Union,
    Value,
    changed,
)
from devlint.source.machine.heap.closures import captured
from devlint.source.machine.heap.files import Function, Scope
from devlint.source.machine.heap.objects import BoundMethod, Container, Instance, ModuleFile, Partial
from devlint.source.machine.interprocedural.context_keys import Atoms

_Name = TypeVar("_Name")

_LEADS = frozenset({Union, Method, Reference})
"""The types of values that refer to objects, directly or indirectly."""


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
            born, basis = self.loop(held.born), held.basis and self.input(held.basis)
            is_same = born is held.born and basis is held.basis
            known = self._inputs[held] = held if is_same else born_in(held, born)
            known.basis = basis
        return known

    def serials(self) -> dict[int, int]:
        """The serial numbers of the inputs when they count as tensors."""
        return {id(one): id(other) for one, other in self._inputs.items()}


class OtherInputs(Renaming):
    """The inputs of an object, mapped to others of which the same is known so far."""

    def __init__(self) -> None:
        super().__init__((), ())

    def input(self, held: Input) -> Input:
        """The input that takes the place of another one."""
        if held not in self._inputs:
            self._inputs[held] = same_again(held)
        return self._inputs[held]


class NoCopyError(Exception):
    """A call has created an object that has no copy."""


class Snapshot:
    """Copies values with the objects that a call created, in their present state.

    Values refer to objects, but do not change themselves: one that leads to no new object is its own copy.
    Classes, generators and other objects that are not described by their contents have no copies.
    """

    def __init__(self, begun: int, objects: dict[Object, Object]) -> None:
        """Objects that the call created have a greater number than `begun`. `objects` maps those that it was
        given to those that take their places."""
        self._begun = begun
        self._objects = objects

    def value(self, held: Value) -> Value:
        """The copy of a value."""
        match held:
            case Union():
                return Union(tuple(map(self.value, held.alternatives)))
            case Method():
                return Method(self.value(held.receiver), held.name)
            case Reference():
                target = self.object(held.target)
                return held if target is held.target else Reference(target)
            case _:
                return held

    def loop(self, loop: Loop | None) -> Loop | None:
        """The loop that takes the place of another one."""
        return loop

    def object(self, held: Object) -> Object:
        """The copy of an object.

        Raises: | NoCopyError: it has none.
        """
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
            case BoundMethod(function=function):
                method = self.object(function)
                assert isinstance(method, Function)
                made = self._objects[held] = BoundMethod(method, self.value(held.receiver))
                return made
            case Partial():
                return self._partial(held)
            case Function() if not held.registered:
                return self._function(held)
            case ModuleFile():
                return held
            case _:
                raise NoCopyError

    def _named(self, cells: dict[_Name, Value]) -> dict[_Name, Value]:
        made = cells.copy()
        for name, each in cells.items():
            if type(each) in _LEADS:
                made[name] = self.value(each)
        return made

    def _container(self, held: Container) -> Container:
        made = self._objects[held] = Container(held.kind)
        made.born, made.periodic = self.loop(held.born), held.periodic
        made.kept = held.kept
        made.factory = None if held.factory is None else self.value(held.factory)
        made.cells = self._named(held.cells)
        return made

    def _instance(self, held: Instance) -> Instance:
        made = self._objects[held] = Instance(held.of, held.made)
        made.drawn = self.loop(held.drawn)
        made.left_out = held.left_out
        made.arguments = self._named(held.arguments)
        made.cells = self._named(held.cells)
        return made

    def _partial(self, held: Partial) -> Partial:
        made = self._objects[held] = Partial(TOP, [], {})
        made.callee = self.value(held.callee)
        made.arguments = list(map(self.value, held.arguments))
        made.keywords = self._named(held.keywords)
        return made

    def _function(self, held: Function) -> Function:
        if held.owner is not None and self.object(held.owner) is not held.owner:
            raise NoCopyError
        made = Function(held.node, held.scope, held.file, held.qualname, {}, held.owner)
        self._objects[held] = made
        made.scope = self._scope(held.scope)
        made.marks, made.decorators = held.marks, held.decorators
        made.defaults = self._named(held.defaults)
        made.cells = self._named(held.cells)
        for scope, name, value in captured(held):
            there = self._scope(scope)
            if there is not scope and scope.number > self._begun:
                there.cells[name] = self.value(value)
        return made

    def _scope(self, held: Scope) -> Scope:
        """The copy of an activation, with the names that the copied functions may read."""
        known = self._objects.get(held)
        if known is not None:
            assert isinstance(known, Scope)
            return known
        if held.outer is None or held.number <= self._begun:
            return held
        made = self._objects[held] = Scope(self._scope(held.outer), held.file, held.owner)
        made.redirected = {name: self._scope(each) for name, each in held.redirected.items()}
        return made


class Copying(Snapshot):
    """Copies the values of one call for another one, with the loops, inputs and tensors of that call."""

    def __init__(
        self,
        begun: int,
        renaming: Renaming,
        objects: dict[Object, Object],
        tensors: tuple[tuple[Tensor, Tensor], ...],
    ) -> None:
        """`objects` and `tensors` map those that the call was given to those that are given now."""
        super().__init__(begun, objects)
        self._renaming = renaming
        self._serials = renaming.serials() | {one.serial: other.serial for one, other in tensors}
        self._origins = [(one.origin, other.origin) for one, other in tensors if one.origin != other.origin]

    def value(self, held: Value) -> Value:
        """A value in the other call."""
        match held:
            case Tensor():
                return self._tensor(held)
            case Input():
                return self._renaming.input(held)
            case Array(written=loop) if loop is not None:
                return changed(held, written=self._renaming.loop(loop))
            case _:
                return super().value(held)

    def loop(self, loop: Loop | None) -> Loop | None:
        """A loop in the other call."""
        return self._renaming.loop(loop)

    def _named(self, cells: dict[_Name, Value]) -> dict[_Name, Value]:
        return {name: self.value(each) for name, each in cells.items()}

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


def copied_whole(held: Reference, begun: int) -> Reference | None:
    """A copy of an object and of all that was created with it, that is, since `begun`; None if there is no
    such copy."""
    try:
        return Reference(Copying(begun, OtherInputs(), {}, ()).object(held.target))
    except NoCopyError:
        return None
