"""The keys of contexts: the arguments of a call, up to a renaming of the loops and inputs that they refer
to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from devlint.model import Origin
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import (
    Array,
    Cells,
    Known,
    Method,
    Object,
    Reference,
    Tensor,
    Union,
    Value,
)
from devlint.source.machine.heap.closures import captured
from devlint.source.machine.heap.derived import by_runs, derived, is_structure, is_wide, links, reached
from devlint.source.machine.heap.files import Function, Scope
from devlint.source.machine.heap.objects import BoundMethod, Container, Instance, Partial
from devlint.source.machine.reporting.event_log import ExecutionContext

Key: TypeAlias = tuple[object, ...]
Atom: TypeAlias = Loop | Input
"""A loop or an input: an object with identity and little content. In an equal context, another one can take
its place."""
Atoms: TypeAlias = tuple[Atom, ...]


_DESCRIBED_SEPARATELY = object()
"""Stands in a description for a structure that its user describes."""


class _Description:
    """A description under construction: its parts, and the atoms in them, by number."""

    def __init__(self, led_to: list[Object] | None = None) -> None:
        self.parts: list[object] = []
        self.atoms: dict[Atom, int] = {}
        self.led_to = led_to
        """Collects the structures that the user of the description describes separately; None to describe
        them here."""

    def add(self, atoms: Atoms) -> None:
        """Add the identities of loops and inputs."""
        for each in atoms:
            number = self.atoms.get(each)
            if number is not None:
                self.parts.append(number)
            elif isinstance(each, Loop):
                self.loop(each)
            else:
                self.input(each)

    def loop(self, loop: Loop | None) -> None:
        """Add the loop in which something happens, and the loops around it."""
        while loop is not None and loop not in self.atoms:
            self._number(loop)
            loop = loop.outer
        self.parts.append(None if loop is None else self.atoms[loop])

    def input(self, held: Input | None) -> None:
        """Add the identity of an input."""
        if held is None or held in self.atoms:
            self.parts.append(None if held is None else self.atoms[held])
        else:
            self._number(held)
            self.loop(held.born)

    def _number(self, atom: Atom) -> None:
        self.parts.append(len(self.atoms))
        self.atoms[atom] = len(self.atoms)


class Keys:
    """The keys of calls.

    Objects with equal contents, recursively, get the same number: a module is identified by its structure and
    the devices of its parameters, not by its identity. An unregistered tensor of a module is identified by
    its origin too, because findings refer to it.
    """

    def __init__(self) -> None:
        self._numbers: dict[Key, int] = {}
        self._being_numbered: dict[Object, None] = {}
        self._values: dict[int, tuple[Value | Origin, int]] = {}
        """The numbers of tensors, origins and other values with many parts, which are described once. They
        are found by object identity, which is unique while the values are kept here."""

    def key(
        self, function: Function, scope: Scope, execution: ExecutionContext, *, by_identity: bool = False
    ) -> tuple[list[object], Atoms]:
        """The parts of the key of a call (the function, its arguments, and its caller's context), and the
        loops and inputs to which the numbers in the key refer. A closure counts as itself, not as what it
        captures, `by_identity`."""
        by_contents = function.is_closure and not by_identity
        said = _Description()
        said.parts += (
            function.identity,
            None if by_contents else function.scope,
            execution.periodic,
            execution.rare,
            execution.added,
            execution.expected,
        )
        said.loop(execution.loop)
        self._cells(said, scope)
        if by_contents:
            self._captured(said, function)
        atoms = tuple(said.atoms)
        said.parts += map(self._content, atoms)
        return said.parts, atoms

    def number(self, parts: Iterable[object]) -> int:
        """The number of a key or a description."""
        return self._numbers.setdefault(tuple(parts), len(self._numbers))

    def atoms(self, held: Object) -> Atoms:
        """The loops and inputs that are reachable from an object.

        What the names of an activation refer to is not watched, so that nothing is cached for it.
        """
        if isinstance(held, Scope) and held.outer is not None:
            return self._number(held)[1]
        return derived(held, self._number)[1]

    def sharing(self, roots: Sequence[Object], objects: Sequence[Object]) -> Key:
        """Which of the objects reachable from some others are identical, by the order in which they are
        reached."""
        own = tuple(derived(each, self._sharing) for each in roots)
        if sum(len(reached(each)) for each in roots) == len(objects):
            return own  # each is reached from one of them only
        places = {each: at for at, each in enumerate(objects)}
        return (*own, *(places[each] for root in roots for each in reached(root)))

    def _sharing(self, held: Object) -> int:
        return self.number(links(held))

    def _number(self, held: Object) -> tuple[int, Atoms]:
        said = _Description()
        self._being_numbered[held] = None
        if isinstance(held, Instance):
            said.parts += (held.of, held.left_out)
            said.loop(held.drawn)
            self._named(said, held.arguments)
        elif isinstance(held, Container):
            said.parts += (held.kind, held.periodic)
            said.loop(held.born)
            if held.factory is not None:
                said.parts.append("factory")
                self._value(said, held.factory)
        if isinstance(held, Partial):
            self._partial(said, held)
        elif isinstance(held, BoundMethod):
            said.parts.append("bound")
            self._object(said, held.function)
            self._value(said, held.receiver)
        elif isinstance(held, Function):
            said.parts += (held.identity, held.marks, held.decorators, held.owner, *held.registered)
            self._named(said, held.defaults)
            self._captured(said, held)
        self._cells(said, held)
        del self._being_numbered[held]
        return self.number(said.parts), tuple(said.atoms)

    def _captured(self, said: _Description, function: Function) -> None:
        """Describe the names that a function may read of those around it."""
        for _, name, each in captured(function):
            said.parts.append(name)
            if isinstance(each, Reference) and each.target is function:
                said.parts.append("itself")
            else:
                self._value(said, each)

    def _partial(self, said: _Description, held: Partial) -> None:
        said.parts += ("partial", len(held.arguments))
        for each in (held.callee, *held.arguments):
            self._value(said, each)
        self._named(said, held.keywords)

    def _cells(self, said: _Description, held: Object) -> None:
        if not is_wide(held):
            self._named(said, held.cells)
            return
        for number, atoms, led_to in by_runs(held, self._run):
            said.parts.append(number)
            said.add(atoms)
            for each in led_to:
                self._object(said, each)

    def _run(self, cells: Cells) -> tuple[int, Atoms, list[Object]]:
        """The description of some cells, without the structures to which they refer."""
        led_to: list[Object] = []
        said = _Description(led_to)
        self._named(said, cells)
        return self.number(said.parts), tuple(said.atoms), led_to

    def _named(self, said: _Description, held: Mapping[Any, Value]) -> None:
        for name, each in held.items():
            said.parts.append(name)
            self._value(said, each)

    def _value(self, said: _Description, held: Value) -> None:
        if isinstance(held, Reference):  # the most frequent kinds first
            self._object(said, held.target)
        elif isinstance(held, Known):
            said.parts += (type(held), type(held.value), held.value)
        elif isinstance(held, Tensor):
            said.parts.append(self._tensor(held))
            said.input(held.source)
            said.loop(held.born)
        elif isinstance(held, Array):
            said.parts += ("array", held.may_be_number, held.drawn, held.boolean, held.held)
            said.parts += (held.dimensions, held.least)
            said.loop(held.written)
        elif isinstance(held, Input):
            said.parts.append("input")
            said.input(held)
        elif isinstance(held, Union):
            said.parts += ("union", len(held.alternatives))
            for each in held.alternatives:
                self._value(said, each)
        elif isinstance(held, Method):
            said.parts += ("method", held.name)
            self._value(said, held.receiver)
        else:
            said.parts.append(self._described(held, (held,)))

    def _tensor(self, held: Tensor) -> int:
        """The number of a tensor."""
        known = self._values.get(id(held))
        return self._described(held, _facts(held)) if known is None else known[1]

    def _described(self, held: Value | Origin, parts: Key) -> int:
        """The number of a value, which is described by these parts."""
        known = self._values.get(id(held))
        if known is None:
            known = self._values[id(held)] = (held, self.number(parts))
        return known[1]

    def _object(self, said: _Description, target: Object) -> None:
        if is_structure(target) and said.led_to is not None:
            said.parts.append(_DESCRIBED_SEPARATELY)
            said.led_to.append(target)
            return
        if not is_structure(target) or target in self._being_numbered:
            said.parts.append(target)
            return
        number, atoms = derived(target, self._number)
        said.parts.append(number)
        said.add(atoms)

    def _content(self, atom: Atom) -> Key:
        """The current facts about a loop or an input, besides its relation to others."""
        if isinstance(atom, Loop):
            return (atom.turns, atom.periodic, atom.whole)
        return (
            atom.name, atom.device, atom.confidence, self._described(atom.origin, (atom.origin,)),
            atom.evident, atom.pinned, atom.presumed, atom.asked, atom.refuted, atom.part, atom.moved,
            atom.moved_in_place, atom.holds_tensors, atom.boolean, atom.of_forward, atom.sized,
            atom.may_be_none, atom.has_dimensions,
        )  # fmt: skip


def _facts(held: Tensor) -> Key:
    """The facts about a tensor by which contexts differ."""
    return (
        "tensor", held.device, held.rank0, held.boolean, held.floating, held.role, held.attribute,
        held.pinned, held.shape, held.itemsize, held.confidence, held.left_behind, held.assured,
        held.origin if held.attribute else None, held.element, held.outcomes, held.mixed_at, held.in_graph,
    )  # fmt: skip
