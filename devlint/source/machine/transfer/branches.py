"""Narrowing: what each outcome of a test shows about names."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from devlint.source import ir
from devlint.source.machine.domain.inputs import Input, bases
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import (
    NONE,
    TOP,
    Array,
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
)
from devlint.source.machine.heap.files import Scope
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import is_marker
from devlint.source.machine.heap.store import Changes
from devlint.source.machine.transfer.cells import Narrowing, cell, write_narrowed
from devlint.source.machine.transfer.drawn_entries import entries_kept
from devlint.source.machine.transfer.emptiness import counted_by, is_where_empty
from devlint.source.machine.transfer.environment_tests import narrow_environment
from devlint.source.machine.transfer.host_tests import names_device, note_host
from devlint.source.machine.transfer.instances import AskedType, asked_type, has_type
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.kept_tests import asked_function, kept_test
from devlint.source.machine.transfer.module_state import narrow_modules
from devlint.source.machine.transfer.own_predicates import conditions, own_function
from devlint.source.machine.transfer.paths import on_branch
from devlint.source.machine.transfer.predicates import PREDICATES, answer, shown_not_to_be, shown_to_be
from devlint.source.walk import is_cut, path, text, walk

_EXITS = frozenset({"sys.exit", "os._exit", "os.abort", "builtins.exit", "builtins.quit"})


@contextmanager
def under(machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool) -> Iterator[None]:
    """A context in which a test had a given outcome."""
    with on_branch(machine, test, frame, taken=taken):
        on_host = machine.store.on_host
        undo = narrow(machine, test, frame, taken=taken)
        try:
            yield
        finally:
            _undo(machine, undo)
            machine.store.on_host = on_host


def _undo(machine: Interpreter, undo: list[Narrowing]) -> None:
    for target, key, before, after in reversed(undo):
        if target.cells.get(key) is after:
            machine.store.write(target, key, before)


def narrow(machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool) -> list[Narrowing]:
    """Remove the alternatives for which the test would have had the other outcome."""
    return _narrowed(machine, test, frame, taken=taken).done


def is_never(machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool) -> bool:
    """Narrow by an outcome of a test. Returns whether the outcome is impossible, because what the test counts
    has no elements."""
    narrowed = _narrowed(machine, test, frame, taken=taken)
    return counted_by(test) is not None and not narrowed.possible


class _Narrowed(NamedTuple):
    """The cells that a test reads, narrowed by an outcome."""

    done: list[Narrowing]
    possible: bool = True
    """Whether the outcome is possible for the values of the cells."""


def _narrowed(machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool) -> _Narrowed:
    note_host(machine, test, frame, taken=taken)
    for narrow_state in (narrow_modules, narrow_environment):
        by_state = narrow_state(machine, test, frame, taken=taken)
        if by_state:
            return _Narrowed(by_state)
    counted = counted_by(test)
    if counted is not None and is_where_empty(test, frame, taken=not taken):
        return _kept(machine, counted, frame, lambda held: not _is_without_elements(held))
    match test:
        case ir.Unary(operator="not", operand=inner):
            return _narrowed(machine, inner, frame, taken=not taken)
        case ir.Boolean(operator=name, left=left, right=right):
            if (name == "and") is taken:
                machine.store.arrived |= frame.arrived_behind.get(test.id, frozenset())
                return _by_all(machine, ((left, taken), (right, taken)), frame)
            return _by_either(machine, left, right, frame, taken=taken)
        case ir.Compare() if (asked := asked_type(test)) is not None:
            return _by_type(machine, asked, frame, taken=asked.wanted is taken)
        case ir.Compare(left=left, rest=((("is" | "is_not" | "eq" | "ne") as name, right),)):
            equal = (name in ("is", "eq")) is taken
            left = left.target if isinstance(left, ir.Walrus) else left
            call = asked_function(left, frame)
            found = _by_equality(machine, left, right, frame, equal=equal)
            if call is not None and isinstance(right, ir.Constant):
                shown = _by_own_predicate(machine, call, frame, result=right.value, equal=equal)
                return _Narrowed(found.done + shown.done, found.possible and shown.possible)
            is_decided = bool(found.done) or not found.possible
            return found if is_decided else _by_place(machine, test, left, frame, taken=taken)
        case ir.Compare(left=left, rest=(_,)):
            return _by_place(machine, test, left, frame, taken=taken)
        case ir.CallExpression(function=ir.Name() | ir.Attribute()) if test.arguments:
            return _by_predicate(machine, test, frame, taken=taken)
        case ir.Walrus(target=target):
            return _narrowed(machine, target, frame, taken=taken)
        case ir.Name(name=name) if (kept_before := kept_test(name, frame)) is not None:
            return _narrowed(machine, kept_before, frame, taken=taken)
        case ir.Name() | ir.Attribute():
            kept = _kept(machine, test, frame, lambda held: machine.truth(held) is not (not taken))
            is_answered = kept.done or not kept.possible
            return kept if is_answered else _by_owner(machine, test, test, frame, taken=taken)
        case _:
            return _Narrowed([])


def _is_without_elements(held: Value) -> bool:
    """Whether a tensor certainly has no elements."""
    return isinstance(held, Tensor) and held.shape is not None and {*held.shape} == {0}


def _by_all(machine: Interpreter, parts: Iterable[tuple[ir.Expression, bool]], frame: Frame) -> _Narrowed:
    """Narrow by several tests, one after the other."""
    each = [_narrowed(machine, test, frame, taken=taken) for test, taken in parts]
    return _Narrowed([one for some in each for one in some.done], all(some.possible for some in each))


def _by_either(
    machine: Interpreter, left: ir.Expression, right: ir.Expression, frame: Frame, *, taken: bool
) -> _Narrowed:
    """Narrow by a test that either part can decide: by the join of the two cases."""
    found: list[Changes] = []
    for parts in (((left, taken),), ((left, not taken), (right, taken))):
        machine.store.begin()
        possible = _by_all(machine, parts, frame).possible
        changes = machine.store.end()
        if possible:
            found.append(changes)
    if not found:
        return _Narrowed([], possible=False)
    return _Narrowed([one for place in found[0] for one in _left_by(machine, place, found)])


def _left_by(machine: Interpreter, place: tuple[int, object], ways: Sequence[Changes]) -> Iterator[Narrowing]:
    """The join of a cell's values in cases that all narrow it."""
    if not all(place in each for each in ways):
        return
    target, key, before, _ = ways[0][place]
    left = [held for each in ways if (held := each[place][3]) is not None]
    inputs = [one for held in left for one in alternatives(held) if isinstance(one, Input)]
    if before is not None and len({each.refuted for each in inputs}) <= 1:
        after = join_all(left)
        machine.store.write(target, key, after)
        yield target, key, before, after


def _by_place(
    machine: Interpreter, test: ir.Compare, compared: ir.Expression, frame: Frame, *, taken: bool
) -> _Narrowed:
    """Keep the alternatives of a tensor whose device would have had the outcome."""
    match compared:
        case ir.Attribute(name="type" | "index" | "device"):
            return _by_owner(machine, test, compared, frame, taken=taken)
        case ir.CallExpression(function=ir.Attribute(name="get_device" | "type") as method, arguments=()):
            return _by_owner(machine, test, method, frame, taken=taken)
        case _:
            return _Narrowed([])


def _by_owner(
    machine: Interpreter, test: ir.Expression, read: ir.Name | ir.Attribute, frame: Frame, *, taken: bool
) -> _Narrowed:
    """Keep the alternatives of an object for which a test of its attribute would have had the outcome."""
    owner: ir.Expression = read
    while isinstance(owner, ir.Attribute):
        owner = owner.value
        place = cell(machine, owner, frame)
        if place is not None and isinstance(place[0].cells.get(place[1]), Union):
            return _kept(machine, owner, frame, _decided_by(machine, test, frame, place, taken=taken))
    return _Narrowed([])


def _decided_by(
    machine: Interpreter, test: ir.Expression, frame: Frame, place: tuple[Object, object], *, taken: bool
) -> Callable[[Value], bool]:
    """A predicate: whether a test may have an outcome if a cell has a given alternative."""
    target, key = place

    def fits(held: Value) -> bool:
        before = target.cells[key]
        machine.store.write(target, key, held)
        outcome = machine.truth(machine.evaluate(test, frame))
        machine.store.write(target, key, before)
        return outcome is not (not taken)

    return fits


def _by_predicate(machine: Interpreter, test: ir.CallExpression, frame: Frame, *, taken: bool) -> _Narrowed:
    """Keep the alternatives for which a predicate such as `isinstance` would have had the outcome."""
    assert isinstance(test.function, (ir.Name, ir.Attribute))
    if test.function.name not in PREDICATES:
        return _by_own_predicate(machine, test, frame, result=True, equal=taken)
    function = machine.evaluate(test.function, frame)
    if not isinstance(function, External):
        return _Narrowed([])
    others = [machine.evaluate(each.value, frame) for each in test.arguments[1:]]

    def fits(held: Value) -> bool:
        return answer(function.name, held, others) is not (not taken)

    def shown(held: Input) -> Value:
        shows = shown_to_be if taken else shown_not_to_be
        return shows(held, function.name, others)

    return _kept(machine, test.arguments[0].value, frame, fits, shown)


def _by_type(machine: Interpreter, asked: AskedType, frame: Frame, *, taken: bool) -> _Narrowed:
    """Keep the alternatives that may have one of the tested types, or none of them."""
    classes = machine.evaluate(asked.classes, frame)

    def fits(held: Value) -> bool:
        return has_type(held, classes) is not (not taken)

    def shown(held: Input) -> Value:
        return (shown_to_be if taken else shown_not_to_be)(held, "builtins.isinstance", [classes])

    return _kept(machine, asked.of, frame, fits, shown)


def _by_own_predicate(
    machine: Interpreter, asked: ir.CallExpression, frame: Frame, *, result: object, equal: bool
) -> _Narrowed:
    """Narrow the arguments of a function of the project by the tests that lead to a result, or to another
    one."""
    held, receiver = own_function(machine, asked.function, frame)
    tests = () if held is None else conditions(held, result, equal=equal)
    if held is None or not tests or any(each.stars or each.keyword for each in asked.arguments):
        return _Narrowed([])
    inner = Frame(held.file, Scope(held.scope, held.file), held)
    parameters = [each.name for each in held.node.parameters]
    inner.scope.cells.update({**dict.fromkeys(parameters, TOP), **held.defaults})
    if receiver is not None and parameters:
        inner.scope.cells[parameters.pop(0)] = receiver
    bindings = {name: each.value for name, each in zip(parameters, asked.arguments, strict=False)}
    for name, expression in bindings.items():
        place = cell(machine, expression, frame)
        inner.scope.cells[name] = TOP if place is None else place[0].cells.get(place[1], TOP)
    possible = _by_all(machine, tests, inner).possible
    left = inner.scope.cells
    done = [one for name, each in bindings.items() for one in _replaced(machine, each, left[name], frame)]
    return _Narrowed(done, possible)


def _replaced(
    machine: Interpreter, expression: ir.Expression, after: Value, frame: Frame
) -> Iterator[Narrowing]:
    """Set a cell to the value that a test has left."""
    place = cell(machine, expression, frame)
    before = None if place is None else place[0].cells.get(place[1])
    if place is not None and before is not None and before is not after:
        yield from write_narrowed(machine, place, before, after, frame)


def _by_equality(
    machine: Interpreter, left: ir.Expression, right: ir.Expression, frame: Frame, *, equal: bool
) -> _Narrowed:
    if not isinstance(right, ir.Constant):
        return _by_marker(machine, left, right, frame, equal=equal)
    constant = Known(right.value)

    def fits(held: Value) -> bool:
        if isinstance(held, Known):
            return (held.value == constant.value) is equal
        return not equal or constant != NONE or isinstance(held, (Input, Scalar))

    # A device is left as it is: other tensors lie on it, wherever it is.
    is_shown = equal and not names_device(right)
    return _kept(machine, left, frame, fits, lambda held: constant if is_shown else held)


def _by_marker(
    machine: Interpreter, left: ir.Expression, right: ir.Expression, frame: Frame, *, equal: bool
) -> _Narrowed:
    """Narrow by `item is END`, where `END = object()`."""
    if not isinstance(right, (ir.Name, ir.Attribute)):
        return _Narrowed([])
    marker = machine.evaluate(right, frame)
    if not is_marker(marker):
        return _Narrowed([])
    return _kept(machine, left, frame, lambda held: isinstance(held, Top) or (held == marker) is equal)


def _kept(
    machine: Interpreter,
    expression: ir.Expression,
    frame: Frame,
    fits: Callable[[Value], bool],
    shown: Callable[[Input], Value] = lambda held: held,
) -> _Narrowed:
    """Keep the alternatives of a name or an attribute that match; an input becomes what the test shows it to
    be."""
    place = cell(machine, expression, frame)
    if place is None:
        return _Narrowed([])
    target, key = place
    held = target.cells.get(key)
    if held is None:
        return _Narrowed([])
    before = alternatives(held)
    members = [shown(each) if isinstance(each, Input) else each for each in before if fits(each)]
    if not members:
        return _Narrowed([], possible=False)
    if len(members) == len(before) and all(map(operator.is_, members, before)):
        return _Narrowed([])
    is_one = all(each == members[0] for each in members)
    after = members[0] if is_one else Union(tuple(members))
    narrowed = [*write_narrowed(machine, place, held, after, frame)]
    if isinstance(held, Input) and (isinstance(after, Array) or (isinstance(after, Input) and after.refuted)):
        machine.store.on_host |= {*bases(held)}  # so is what was computed from it before
    return _Narrowed([*narrowed, *entries_kept(machine, target, key, held, fits)])


def fitting(
    machine: Interpreter,
    test: ir.Expression,
    chosen: ir.Expression,
    held: Value,
    frame: Frame,
    *,
    taken: bool,
) -> Value | None:
    """An element narrowed by a test that reads it; None if the outcome is impossible:
    `None if states[i].size(0) == 0 else states[i]`."""
    written = text(chosen)
    reads = isinstance(chosen, ir.Subscript) and any(
        isinstance(each, ir.Subscript) and text(each) == written for each in walk((test,))
    )
    if not reads or is_cut(written):
        return held
    inner = Frame(frame.file, Scope(frame.scope, frame.file), frame.function)
    kept: list[Value] = []
    for each in alternatives(held):
        inner.scope.cells[written] = each
        machine.store.begin()
        if _narrowed(machine, test, inner, taken=taken).possible:
            kept.append(each)
        machine.store.end()
    return join_all(kept) if kept else None


def ends_in_error(machine: Interpreter, block: ir.Block, frame: Frame) -> bool:
    """Whether a branch ends the program, or its task, with an error."""
    last = block[-1] if block else None
    if isinstance(last, ir.Raise):
        return not exits_with_result(machine, last.value, frame)
    if isinstance(last, ir.Evaluate) and isinstance(last.value, ir.CallExpression):
        callee = _named(machine, last.value, frame)
        ends = isinstance(callee, External) and callee.name in _EXITS
        return ends and not exits_with_result(machine, last.value, frame)
    return False


def exits_with_result(machine: Interpreter, exits: ir.Expression | None, frame: Frame) -> bool:
    """Whether the program ends with the result of a function of the project, as in `sys.exit(main())`. That
    is the program itself, not error handling."""
    match exits:
        case ir.CallExpression(arguments=(ir.Argument(value=ir.CallExpression() as status),)):
            return isinstance(_named(machine, status, frame), Reference)
        case _:
            return False


def _named(machine: Interpreter, call: ir.CallExpression, frame: Frame) -> Value | None:
    """The callee, if it is written as names, so that evaluating it has no effect."""
    return machine.evaluate(call.function, frame) if path(call.function) else None
