"""The effects of statements on the state, and how they end."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import reduce
from typing import Any

from devlint.source import ir
from devlint.source.machine.domain.naming import as_kind
from devlint.source.machine.domain.values import NONE, TOP, Scalar, Value, changed
from devlint.source.machine.heap.files import Scope
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.store import Changes
from devlint.source.machine.operators import availability
from devlint.source.machine.transfer import assignments, contexts, definitions, loops
from devlint.source.machine.transfer.branches import ends_in_error, exits_with_result, is_never, narrow
from devlint.source.machine.transfer.deletions import run_delete
from devlint.source.machine.transfer.device_choices import chosen_path
from devlint.source.machine.transfer.device_flags import doubt_fallback, doubt_host
from devlint.source.machine.transfer.dtype_tests import doubt_by_dtype
from devlint.source.machine.transfer.emptiness import is_where_empty
from devlint.source.machine.transfer.ends import End
from devlint.source.machine.transfer.execution_context import in_context, is_added, single_turn
from devlint.source.machine.transfer.failing import cannot_fail
from devlint.source.machine.transfer.first_turns import is_of_later_turns
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.kept_names import keep_names
from devlint.source.machine.transfer.logic import guarded
from devlint.source.machine.transfer.matching import bindings, matches
from devlint.source.machine.transfer.meeting import meet
from devlint.source.machine.transfer.memoized import is_taken_once
from devlint.source.machine.transfer.paths import (
    MOST_FORKS,
    are_apart,
    are_kept_apart,
    assuming,
    columns,
    library_of,
    note_outcomes,
    on_branch,
    outcomes,
    results_apart,
    test_of,
)
from devlint.source.machine.transfer.refused_options import is_refused
from devlint.source.machine.transfer.stand_ins import doubt_stand_ins


def run_block(machine: Interpreter, block: ir.Block, frame: Frame) -> End:
    """Execute statements up to the first one that does not continue with the next."""
    execution, guarded = machine.execution, machine.guarded
    periodic, added = execution.periodic, execution.added
    end = End.NEXT
    for at, statement in enumerate(block):
        machine.steps += 1
        frame.statement = statement
        loop = machine.execution.loop
        if loop is not None and loop.frame is frame:
            loop.turn.reach(statement)
        if type(statement) is ir.If:
            end, is_last = _if(machine, statement, block[at + 1 :], frame)
        elif type(statement) is ir.Try:
            end, is_last = _try(machine, statement, block[at + 1 :], frame)
        elif type(statement) is ir.Assign and type(statement.value) is ir.Conditional:
            end, is_last = _assign_either(machine, statement, statement.value, block[at + 1 :], frame)
        elif type(statement) is ir.Assign and type(statement.targets[0]) is ir.Sequence:
            end, is_last = _unpack(machine, statement, block[at + 1 :], frame)
        else:
            end, is_last = _RUN[type(statement)](machine, statement, frame), False
        if is_last or end is not End.NEXT:
            break
    execution.periodic, execution.added, machine.guarded = periodic, added, guarded
    return end


_LEAVING = (ir.Leave, ir.Raise, ir.Return)


def _evaluate(machine: Interpreter, node: ir.Evaluate, frame: Frame) -> End:
    machine.evaluate(node.value, frame)
    return End.RAISE if machine.exited() else End.NEXT


def _return(machine: Interpreter, node: ir.Return, frame: Frame) -> End:
    held = NONE if node.value is None else machine.evaluate(node.value, frame)
    frame.returns.append(as_kind(held) if machine.guarded and isinstance(node.value, ir.Constant) else held)
    if frame.closures:
        keep_names(machine, frame)
    return End.RETURN


def _raise(machine: Interpreter, node: ir.Raise, frame: Frame) -> End:
    if node.value is not None:
        rare, machine.execution.rare = (
            machine.execution.rare,
            not exits_with_result(machine, node.value, frame),
        )
        machine.evaluate(node.value, frame)
        machine.execution.rare = rare
    return End.RAISE


def _assert(machine: Interpreter, node: ir.Assert, frame: Frame) -> End:
    test = test_of(machine, node.test, frame)
    availability.asked(machine, test, frame.site(node.test), goes_on=False)
    narrow(machine, node.test, frame, taken=True)
    return End.NEXT


def _leave(machine: Interpreter, node: ir.Leave, frame: Frame) -> End:
    if node.keyword != "break":
        return End.CONTINUE
    if machine.execution.loop is not None:
        machine.execution.loop.was_left = True
    return End.BREAK


def _outer(machine: Interpreter, node: ir.Outer, frame: Frame) -> End:
    for name in node.names:
        scope: Scope | None = frame.file.scope
        if not node.is_global:
            scope = frame.scope.outer
            while scope is not None and name not in scope.cells:
                scope = scope.outer
        if scope is not None and scope is not frame.scope:
            frame.scope.redirected[name] = scope
    return End.NEXT


def _if(machine: Interpreter, node: ir.If, rest: ir.Block, frame: Frame) -> tuple[End, bool]:
    """Execute an `if`. Returns whether the rest of its block was executed too, once for each outcome."""
    test = test_of(machine, node.test, frame)
    truth = machine.truth(test)
    if isinstance(test, Scalar) and test.flag and truth is not None:
        machine.decides(test.flag, guarded(test, node.then, node.orelse))
    if truth is not None:
        if is_refused(machine, node, test, frame, truth=truth):
            truth = not truth
        return _decided_if(machine, node, test, frame, truth=truth), False
    then_end, then = _path(machine, node, frame, test, taken=True)
    else_end, orelse = _path(machine, node, frame, test, taken=False)
    doubt_host(machine, node.test, frame, then, orelse)
    doubt_by_dtype(machine, node.test, frame, then, orelse)
    doubt_stand_ins(machine, node.test, frame, then, orelse)
    both_go_on = then_end is End.NEXT and else_end is End.NEXT
    if both_go_on and (chosen := chosen_path(machine, node.test, then, orelse, frame)) is not None:
        machine.store.apply(chosen)
        return End.NEXT, False
    apart = both_go_on and are_apart(then, orelse)
    if apart or (both_go_on and are_kept_apart(then, orelse)):
        holds, holds_not = outcomes(machine, node.test, frame)
        note_outcomes(machine, then, orelse, holds, holds_not)
        if not apart or not rest or machine.forks >= MOST_FORKS:
            return meet(machine, (then_end, then), (else_end, orelse), frame), False
        one = _rest(machine, then, holds, rest, frame)
        other = _rest(machine, orelse, holds_not, rest, frame)
        return meet(machine, one, other, frame), True
    end = meet(machine, (then_end, then), (else_end, orelse), frame)
    if end is End.NEXT:
        _rest_is_periodic(machine, test, then_end, else_end)
    return end, False


def _assign_either(
    machine: Interpreter, node: ir.Assign, either: ir.Conditional, rest: ir.Block, frame: Frame
) -> tuple[End, bool]:
    """Execute `xp = one if test else other`, which selects a library. Returns whether the rest of its block
    was executed too, as for an `if`."""
    libraries = {library_of(machine, each, frame) for each in (either.then, either.orelse)}
    differ = len(libraries) == 2 and None not in libraries
    if not differ or machine.truth(test_of(machine, either.test, frame)) is not None:
        return assignments.run_assign(machine, node, frame), False
    then, orelse = (changed(node, value=each) for each in (either.then, either.orelse))
    return _if(machine, ir.If(node.id, either.test, (then,), (orelse,)), rest, frame)


def _unpack(machine: Interpreter, node: ir.Assign, rest: ir.Block, frame: Frame) -> tuple[End, bool]:
    """Execute `value, flag = function()`. Returns whether the rest of its block was executed too, once for
    each flag."""
    held = machine.evaluate(node.value, frame)
    ways = results_apart(held) if rest and machine.forks < MOST_FORKS else None
    if ways is None:
        return assignments.bind(machine, node, held, frame), False
    ended: list[tuple[End, Changes]] = []
    for each in ways:
        machine.store.begin()
        with assuming(machine, {}), machine.on_one_path(*columns(held)):
            assignments.bind(machine, node, each, frame)
            end = run_block(machine, rest, frame)
        ended.append((end, machine.store.end()))
    one, other = ended
    return meet(machine, one, other, frame), True


def _decided_if(machine: Interpreter, node: ir.If, test: Value, frame: Frame, *, truth: bool) -> End:
    guarded = availability.asks(test)
    block, other = (node.then, node.orelse) if truth else (node.orelse, node.then)
    goes_on = not ends_in_error(machine, other, frame)
    chooses = bool(other) and guarded and availability.places((*node.then, *node.orelse))
    availability.asked(machine, test, frame.site(node.test), goes_on=goes_on, chooses=chooses)
    by_option = isinstance(test, Scalar) and bool(test.flag)
    machine.guarded += guarded
    machine.optional += by_option
    added = is_added(machine, test, other)
    once = is_taken_once(machine, node, frame, taken=truth)
    context = in_context(machine, periodic=_is_periodic(test, taken=truth), added=added, rare=once)
    with context, single_turn(machine, node.test, test, block, frame, taken=truth):
        narrow(machine, node.test, frame, taken=truth)
        end = run_block(machine, block, frame)
    machine.optional -= by_option
    if added and other and isinstance(other[-1], _LEAVING):
        machine.execution.added = True  # so is the rest of the block
    if not (guarded and other and isinstance(other[-1], _LEAVING)):
        machine.guarded -= guarded  # else the rest of the block is not reached without an accelerator
    return end


def _rest(
    machine: Interpreter, changes: Changes, known: dict[Hashable, bool], rest: ir.Block, frame: Frame
) -> tuple[End, Changes]:
    """A context for the statements after a branch on the one path that continues."""
    machine.store.begin()
    machine.store.apply(changes)
    with assuming(machine, known):
        end = run_block(machine, rest, frame)
    whole = machine.store.end()
    whole.begun = changes.begun
    return end, whole


def _is_periodic(test: Value, *, taken: bool) -> bool:
    return isinstance(test, Scalar) and test.periodic == (1 if taken else -1)


def _rest_is_periodic(machine: Interpreter, test: Value, then_end: End, else_end: End) -> None:
    """A context for the statements after `if step % 100: continue`, which run in every hundredth turn."""
    if then_end is not End.NEXT and _is_periodic(test, taken=False):
        machine.execution.periodic = True
    if else_end is not End.NEXT and _is_periodic(test, taken=True):
        machine.execution.periodic = True


def _path(
    machine: Interpreter, node: ir.If, frame: Frame, held: Value, *, taken: bool
) -> tuple[End, Changes]:
    """Execute one branch from the present state, and undo its changes."""
    test, block = node.test, node.then if taken else node.orelse
    machine.store.begin()
    rare = ends_in_error(machine, block, frame) or is_taken_once(machine, node, frame, taken=taken)
    returned = len(frame.returns)
    optional = not _asks_for_start(test) and not _tells_turns_apart(held)
    machine.optional += optional
    context = in_context(machine, periodic=_is_periodic(held, taken=taken), rare=rare)
    turn = single_turn(machine, test, held, block, frame, taken=taken)
    with on_branch(machine, test, frame, taken=taken), context, turn:
        never = is_never(machine, test, frame, taken=taken)
        never = never or is_of_later_turns(machine, test, frame, taken=taken)
        end = End.RAISE if never else run_block(machine, block, frame)
    machine.optional -= optional
    if len(frame.returns) > returned and is_where_empty(test, frame, taken=taken):
        frame.stand_ins += frame.returns[returned:]
        del frame.returns[returned:]
    return end, machine.store.end()


def _tells_turns_apart(test: Value) -> bool:
    """Whether each outcome of a test is that of some turns of a loop: `step % 100 == 0`."""
    return isinstance(test, Scalar) and test.periodic != 0


def _asks_for_start(test: ir.Expression) -> bool:
    """`__name__ == "__main__"`, which is true for the program that is started."""
    return isinstance(test, ir.Compare) and isinstance(test.left, ir.Name) and test.left.name == "__name__"


def _try(machine: Interpreter, node: ir.Try, rest: ir.Block, frame: Frame) -> tuple[End, bool]:
    """Execute a `try`. Returns whether the rest of its block was executed too, after the body and after a
    handler."""
    paths = _tried(machine, node, frame)
    going = [changes for end, changes in paths if end is End.NEXT]
    if rest and len(going) == 2 and machine.forks < MOST_FORKS and are_apart(*going):
        rest = (*node.final, *rest)
        one, other = (_rest(machine, changes, {}, rest, frame) for changes in going)
        return meet(machine, one, other, frame), True
    end, changes = paths[0]
    for other_end, others in paths[1:]:
        if end is End.RAISE or other_end is not End.NEXT or end is not End.NEXT:
            if end is End.RAISE:
                end, changes = other_end, others
            continue
        changes = changes.joined(others)
    machine.store.apply(changes)
    final = run_block(machine, node.final, frame)
    return (final if final is not End.NEXT else end), False


def _tried(machine: Interpreter, node: ir.Try, frame: Frame) -> list[tuple[End, Changes]]:
    """The changes of the body of a `try`, and those of each of its handlers."""
    machine.store.begin()
    machine.optional += bool(node.handlers)
    end = run_block(machine, node.body, frame)
    machine.optional -= bool(node.handlers)
    if end is End.NEXT:
        end = run_block(machine, node.orelse, frame)
    body = machine.store.end()
    paths = [(end, body)]
    if end is not End.RAISE and cannot_fail(machine, node.body, frame):
        return paths
    for handler in node.handlers:
        machine.store.begin()
        machine.store.arrived = body.arrived  # a handler runs after the part of the body before the error
        with in_context(machine, rare=True):
            if handler.name:
                machine.store.write(frame.scope, handler.name, TOP)
            handled = run_block(machine, handler.body, frame)
        instead = machine.store.end()
        doubt_fallback(body, instead)
        paths.append((handled, instead))
    return paths


def _with(machine: Interpreter, node: ir.With, frame: Frame) -> End:
    return contexts.run_with(machine, node, frame)


def _match(machine: Interpreter, node: ir.Match, frame: Frame) -> End:
    held = machine.evaluate(node.subject, frame)
    paths: list[tuple[End, Changes]] = []
    for case in node.cases:
        fits = matches(machine, case.pattern, held, frame)
        if fits is not False:
            machine.store.begin()
            end = _case(machine, case, Passed(held, node.subject, frame.site(node.subject)), frame)
            paths.append((end, machine.store.end()))
        if fits and case.guard is None:
            break
    else:
        paths.append((End.NEXT, Changes()))
    goes_on = [changes for end, changes in paths if end is End.NEXT]
    machine.store.apply(reduce(Changes.joined, goes_on or [changes for _, changes in paths]))
    ends = {end for end, _ in paths if end is not End.RAISE}
    return End.NEXT if goes_on or len(ends) > 1 else ends.pop() if ends else End.RAISE


def _case(machine: Interpreter, case: ir.Case, subject: Passed, frame: Frame) -> End:
    bound = dict.fromkeys(case.names, TOP) | dict(bindings(machine, case.pattern, subject, frame))
    for name, held in bound.items():
        machine.store.write(frame.scope.home(name), name, held)
    if case.guard is not None:
        test_of(machine, case.guard, frame)
    return run_block(machine, case.body, frame)


def _function(machine: Interpreter, node: ir.FunctionDef, frame: Frame) -> End:
    definitions.define_function(machine, node, frame)
    return End.NEXT


def _class(machine: Interpreter, node: ir.ClassDef, frame: Frame) -> End:
    definitions.define_class(machine, node, frame)
    return End.NEXT


def _import(machine: Interpreter, node: ir.Import, frame: Frame) -> End:
    machine.run_import(node, frame)
    return End.NEXT


_RUN: dict[type, Callable[[Any, Any, Frame], End]] = {
    ir.Assign: assignments.run_assign,
    ir.Annotation: assignments.run_annotation,
    ir.AugmentedAssign: assignments.run_augmented,
    ir.Evaluate: _evaluate,
    ir.Return: _return,
    ir.Raise: _raise,
    ir.Assert: _assert,
    ir.Delete: run_delete,
    ir.Leave: _leave,
    ir.Outer: _outer,
    ir.For: loops.run_for,
    ir.While: loops.run_while,
    ir.With: _with,
    ir.Match: _match,
    ir.FunctionDef: _function,
    ir.ClassDef: _class,
    ir.Import: _import,
}
