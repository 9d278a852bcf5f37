"""Paths that stay separate after a join: the outcomes of tests stay known on each of them.

If the branches of an undecided test leave tensors on different devices, a join would lose which tensors were
moved together, and an equal test later would seem to have both outcomes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from devlint.model import UNKNOWN, Concrete, Device
from devlint.source import ir
from devlint.source.machine.domain.identity import identity, with_identity
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import (
    TOP,
    External,
    Known,
    Object,
    Reference,
    Scalar,
    Tensor,
    Top,
    Union,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.derived import forget
from devlint.source.machine.heap.files import Scope
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.heap.store import Changes
from devlint.source.machine.transfer.bounds import implied
from devlint.source.machine.transfer.cells import cell
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.truth import as_test
from devlint.source.walk import walk

MOST_FORKS = 3
"""The number of tests whose outcomes are followed separately, to the end of their block, at the same time."""
_OPPOSITE = {"is_not": "is", "ne": "eq", "not_in": "in"}
"""Comparisons that are true where others are false."""
_PURE = frozenset({"isinstance", "hasattr", "len", "callable", "bool", "getattr", "type"})
"""Builtins whose result depends only on their arguments."""


def are_apart(left: Changes, right: Changes) -> bool:
    """Whether two paths leave a tensor on different devices, or use different libraries."""
    for _, _, before, one, other in left.beside(right):
        if one is other:
            continue
        devices, others = devices_of(one), devices_of(other)
        if devices and others and devices != others and UNKNOWN not in devices | others:
            return True
        if (one is before and _is_moved(before, other)) or (other is before and _is_moved(before, one)):
            return True
        if _are_libraries_apart(one, other):
            return True
    return False


def are_kept_apart(left: Changes, right: Changes) -> bool:
    """Whether two paths set an attribute to tensors that only one of them registers: only that one is
    moved."""
    return any(
        place in right and {True, False} == _registered(after) ^ _registered(right[place][3])
        for place, (_, _, _, after) in left.items()
    )


def _registered(held: Value | None) -> set[bool]:
    """Whether each tensor among the alternatives of a value is a parameter or buffer."""
    return {bool(each.role) for each in alternatives(held or TOP) if isinstance(each, Tensor)}


def _is_moved(before: Value | None, after: Value | None) -> bool:
    """Whether an unknown value, such as a model of a library, is moved to a device that the program names."""
    return isinstance(before, Top) and isinstance(after, Input) and isinstance(after.device, Concrete)


def _are_libraries_apart(one: Value | None, other: Value | None) -> bool:
    """Whether a name refers to NumPy on one path, and to another library of arrays on the other one."""
    match one, other:
        case External(name=left), External(name=right):
            return {left, right} <= _OF_ARRAYS and left != right
        case _:
            return False


def library_of(machine: Interpreter, expression: ir.Expression, frame: Frame) -> str | None:
    """The library that an expression names: `np`, `__import__("torch")`."""
    match expression:
        case ir.Name() | ir.CallExpression(function=ir.Name(name="__import__")):
            held = machine.evaluate(expression, frame)
            return held.name if isinstance(held, External) else None
        case _:
            return None


_OF_ARRAYS = frozenset({"numpy", "torch", "cupy", "jax.numpy"})
"""Array libraries from which a program selects one, for example as `xp`."""


def results_apart(held: Value) -> tuple[Value, Value] | None:
    """The tuples that a function returns with one flag, and those with another one, if other elements depend
    on the path as well: `return x, False` and `return torch.from_numpy(x), True`."""
    groups: dict[tuple[str, ...], list[Value]] = {}
    for each in alternatives(held):
        row = _row(each)
        if row is None:
            return None
        groups.setdefault(tuple(map(_flag, row)), []).append(each)
    if len(groups) != 2:
        return None
    (flags, one), (other_flags, other) = groups.items()
    if len(flags) != len(other_flags):
        return None
    places = [at for at, pair in enumerate(zip(flags, other_flags, strict=True)) if pair == ("", "")]
    differ = any(_kinds(one, at) != _kinds(other, at) for at in places)
    return (join_all(one), join_all(other)) if differ else None


def columns(rows: Value) -> list[Value]:
    """The joined elements of tuples of one length."""
    held = [row for each in alternatives(rows) if (row := _row(each)) is not None]
    return [join_all(each) for each in zip(*held, strict=True)]


def _row(held: Value) -> list[Value] | None:
    """The elements of a tuple, if all of them are known."""
    target = held.target if isinstance(held, Reference) else None
    is_row = isinstance(target, Container) and target.kind == "tuple" and target.exact
    return target.items if is_row and isinstance(target, Container) else None


def _flag(held: Value) -> str:
    """A flag or None as a text; empty for any other value."""
    is_flag = isinstance(held, Known) and (held.value is None or isinstance(held.value, bool))
    return repr(held) if is_flag else ""


def _kinds(rows: list[Value], at: int) -> set[tuple[type, Device | None]]:
    """The types and devices of the elements at a place of some tuples."""
    held = [each for row in rows for each in alternatives((_row(row) or [])[at])]
    return {(type(each), each.device if isinstance(each, (Tensor, Input)) else None) for each in held}


def note_outcomes(
    machine: Interpreter,
    then: Changes,
    orelse: Changes,
    holds: dict[Hashable, bool],
    holds_not: dict[Hashable, bool],
) -> None:
    """Mark tensors whose device or registration differs between the two paths with the outcome of the
    test."""
    machine.has_outcomes = True
    for target, key, before, one, other in list(then.beside(orelse)):
        place = id(target), key
        if one is None or other is None:
            continue
        if devices_of(one) != devices_of(other) or _registered(one) != _registered(other):
            then[place] = (target, key, before, chosen_by(one, holds))
            orelse[place] = (target, key, before, chosen_by(other, holds_not))


def chosen_by(held: Value, facts: dict[Hashable, bool]) -> Value:
    """A value whose tensors depend on outcomes of tests."""
    match held:
        case Tensor():
            return changed(held, outcomes=held.outcomes.union(facts.items()), serial=held.serial)
        case Union(alternatives=members):
            return Union(tuple(chosen_by(each, facts) for each in members))
        case _:
            return held


def devices_of(held: Value | None) -> set[Device]:
    """The devices of the tensors that a value may be."""
    return set() if held is None else {each.device for each in alternatives(held) if isinstance(each, Tensor)}


def test_of(machine: Interpreter, expression: ir.Expression, frame: Frame) -> Value:
    """The value of a test; the host waits for a device tensor that is tested."""
    held = as_test(machine, machine.evaluate(expression, frame), expression, frame)
    if (machine.assumed or machine.chosen) and machine.truth(held) is None:
        known = assumed(machine, expression, frame)
        return held if known is None else Known(known)
    return held


@contextmanager
def assuming(machine: Interpreter, facts: dict[Hashable, bool]) -> Iterator[None]:
    """Execute a path with known outcomes of tests."""
    before = machine.assumed
    machine.assumed = {**before, **facts}
    machine.forks += 1
    try:
        with machine.on_one_path():
            yield
    finally:
        machine.forks -= 1
        machine.assumed = before


def on_branch(
    machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool
) -> AbstractContextManager[None]:
    """Execute a branch. Tensors that depend on an outcome of the same test are narrowed by it."""
    if not machine.has_outcomes:
        return _AS_BEFORE
    return _knowing(machine, outcomes(machine, test, frame)[0 if taken else 1])


_AS_BEFORE = nullcontext()


@contextmanager
def _knowing(machine: Interpreter, facts: dict[Hashable, bool]) -> Iterator[None]:
    before = machine.assumed
    machine.assumed = {**before, **facts}
    try:
        yield
    finally:
        machine.assumed = before


def outcomes(
    machine: Interpreter, test: ir.Expression, frame: Frame
) -> tuple[dict[Hashable, bool], dict[Hashable, bool]]:
    """The facts that hold if a test is true, and if it is false."""
    for node in walk((test,)):
        place = _cell_of(machine, node, frame) if isinstance(node, (ir.Name, ir.Attribute)) else None
        held = None if place is None else place[0].cells.get(place[1])
        if place is not None and isinstance(held, (Scalar, Top, Union)):
            known = place[0].cells[place[1]] = with_identity(held)
            if known is not held:
                forget(place[0])
    return _facts(machine, test, frame, taken=True), _facts(machine, test, frame, taken=False)


def _facts(machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool) -> dict[Hashable, bool]:
    match test:
        case ir.Unary(operator="not", operand=inner):
            return _facts(machine, inner, frame, taken=not taken)
        case ir.Compare(rest=((name, right),)) if name in _OPPOSITE:
            return _facts(machine, changed(test, rest=((_OPPOSITE[name], right),)), frame, taken=not taken)
        case ir.Boolean(operator=name, left=left, right=right) if (name == "and") is taken:
            return {
                **_facts(machine, left, frame, taken=taken),
                **_facts(machine, right, frame, taken=taken),
            }
    key = _key(machine, test, frame)
    if key is None:
        return {}
    alone = _left_alone(machine, test, frame, taken=taken)
    return {key: taken} if alone is None else {key: taken, alone: taken}


def _left_alone(machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool) -> Hashable | None:
    """The identity of the one alternative of a tested value that an outcome leaves, beside constants."""
    place = _cell_of(machine, test, frame) if isinstance(test, (ir.Name, ir.Attribute)) else None
    held = None if place is None else place[0].cells.get(place[1])
    if not isinstance(held, Union):
        return None
    others = [each for each in held.alternatives if not isinstance(each, Known) or bool(each.value) is taken]
    return identity(others[0]) if len(others) == 1 else None


def reads_only_arguments(machine: Interpreter, test: ir.Expression, frame: Frame) -> bool:
    """Whether a test reads only unknown arguments that are the same in all turns of all loops."""
    places = [_cell_of(machine, each, frame) for each in walk((test,)) if isinstance(each, ir.Name)]
    held = [None if place is None else place[0].cells.get(place[1]) for place in places]
    return bool(held) and all(isinstance(each, Input) and each.born is None for each in held)


def assumed(machine: Interpreter, test: ir.Expression, frame: Frame) -> bool | None:
    """The outcome of a test that follows from the facts of this path; None if none follows."""
    match test:
        case ir.Unary(operator="not", operand=inner):
            known = assumed(machine, inner, frame)
            return None if known is None else not known
        case ir.Compare(rest=((name, right),)) if name in _OPPOSITE:
            known = assumed(machine, changed(test, rest=((_OPPOSITE[name], right),)), frame)
            return None if known is None else not known
        case ir.Boolean(operator=name, left=left, right=right):
            parts = (assumed(machine, left, frame), assumed(machine, right, frame))
            decisive = name == "or"
            if decisive in parts:
                return decisive
            if None not in parts:
                return not decisive
    key = _key(machine, test, frame)
    known = None if key is None else machine.assumed.get(key, machine.chosen.get(key))
    return implied(key, machine.assumed) if known is None and machine.assumed else known


def _key(machine: Interpreter, test: ir.Expression, frame: Frame) -> Hashable | None:
    """The identity of a test: the cells that it reads, with their values, and its text."""
    match test:
        case ir.Constant(value=value):
            return (type(value), value)
        case ir.Name() | ir.Attribute():
            return _read(machine, test, frame)
        case ir.Unary(operator=name, operand=inner):
            return _combined(machine, name, (inner,), frame)
        case (
            ir.Boolean(operator=name, left=left, right=right)
            | ir.Binary(operator=name, left=left, right=right)
        ):
            return _combined(machine, name, (left, right), frame)
        case ir.Compare(left=left, rest=((name, right),)):
            return _combined(machine, name, (left, right), frame)
        case ir.Subscript(value=value, indices=(index,)):
            return _combined(machine, "[]", (value, index), frame)
        case ir.CallExpression(function=ir.Name(name=name), arguments=operands) if name in _PURE:
            return _combined(machine, name, tuple(each.value for each in operands), frame)
        case _:
            return None


def _combined(
    machine: Interpreter, name: str, parts: tuple[ir.Expression, ...], frame: Frame
) -> Hashable | None:
    keys = tuple(_key(machine, each, frame) for each in parts)
    return None if None in keys else (name, *keys)


def _read(machine: Interpreter, place: ir.Name | ir.Attribute, frame: Frame) -> Hashable | None:
    found = _cell_of(machine, place, frame)
    if found is not None:
        owner, key = found
        held = owner.cells.get(key)
        known_by = identity(held)
        return (owner, key, held) if known_by is None else known_by
    if isinstance(place, ir.Name):
        return None
    known = _attribute_of_input(machine, place, frame)
    return _combined(machine, place.name, (place.value,), frame) if known is None else identity(known)


def _attribute_of_input(machine: Interpreter, place: ir.Attribute, frame: Frame) -> Input | None:
    """An attribute of an unknown argument, which other names or attributes may hold as well."""
    if not isinstance(place.value, (ir.Name, ir.Attribute)):
        return None
    found = _cell_of(machine, place.value, frame)
    owner = None if found is None else found[0].cells.get(found[1])
    return owner.attributes.get(place.name) if isinstance(owner, Input) else None


def _cell_of(
    machine: Interpreter, place: ir.Name | ir.Attribute, frame: Frame
) -> tuple[Object, object] | None:
    """The cell of an attribute, or of a name in the scope that binds it."""
    if isinstance(place, ir.Attribute):
        return cell(machine, place, frame)
    scope: Scope | None = frame.scope.redirected.get(place.name, frame.scope)
    while scope is not None and place.name not in scope.cells:
        scope = scope.outer
    return None if scope is None else (scope, place.name)
