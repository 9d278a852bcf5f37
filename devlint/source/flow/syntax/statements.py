"""Statements: the flow of control, with the states joined where paths meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from devlint.model import UNKNOWN, HotPath, Kind
from devlint.source import ir
from devlint.source.flow.evidence.stated import annotated_kind
from devlint.source.flow.functions import hot
from devlint.source.flow.functions.stores import changed_outside, rebound_outside
from devlint.source.flow.modules.moved_modules import follow_drawn
from devlint.source.flow.operators.places import held_device
from devlint.source.flow.patterns.portability import note_returned
from devlint.source.flow.state.class_info import Assignment
from devlint.source.flow.state.environment import Environment
from devlint.source.flow.state.frame import Frame, Passed, Returned
from devlint.source.flow.state.values import (
    TOP,
    Availability,
    Container,
    DeviceValue,
    External,
    Instance,
    Literal,
    Tensor,
    Value,
)
from devlint.source.flow.syntax import branches, generators
from devlint.source.flow.syntax.arithmetic import combine
from devlint.source.flow.syntax.elements import iterate
from devlint.source.flow.syntax.expressions import bind_target, evaluate
from devlint.source.flow.syntax.narrowing import narrow, narrow_to_host
from devlint.source.imports import imported_names
from devlint.source.walk import assigned_names, path

MOST_TURNS = 3
"""How often a loop's body is interpreted at most. The lattice is flat but for a few alternatives and
containers, so that two turns nearly always reach the fixed point; what still changes then is forgotten."""


def run(frame: Frame, block: ir.Block) -> None:
    """Interpret a block, up to where no path goes on."""
    for statement in block:
        if frame.environment.dead:
            return
        _EXECUTORS[type(statement)](frame, statement)


def _assign(frame: Frame, node: ir.Assign) -> None:
    with frame.keeping_text():
        value = held_device(frame, node.value, evaluate(frame, node.value))
    if node.annotation is not None and annotated_kind(node.annotation, frame.canonical) is Kind.TENSOR:
        value = (
            Tensor() if value is TOP else replace(value, evident=True) if isinstance(value, Tensor) else value
        )
    frame.statement = node.id
    for target in node.targets:
        bind_target(frame, target, value, node.value)
        _remember_statement(frame, target, node)


def _remember_statement(frame: Frame, target: ir.Expression, node: ir.Assign) -> None:
    if frame.info is None or not frame.is_constructor:
        return
    name = path(target)
    if name.startswith("self."):
        assignment = Assignment(node.id, node.value.id, frame.constructed and len(node.targets) == 1)
        known = frame.info.assignments.setdefault(name.removeprefix("self."), [])
        if assignment not in known:
            known.append(assignment)


def _annotation(frame: Frame, node: ir.Annotation) -> None:
    return


def _augmented(frame: Frame, node: ir.AugmentedAssign) -> None:
    """`x += y` works in place on tensors, so `x` stays where it is."""
    before, value = evaluate(frame, node.target), evaluate(frame, node.value)
    result = combine(
        frame, node.id, f"i{node.operator}", Passed(before, node.target), Passed(value, node.value)
    )
    if not isinstance(node.target, ir.Subscript):
        bind_target(frame, node.target, result)


def _evaluate(frame: Frame, node: ir.Evaluate) -> None:
    frame.dropped, frame.statement = node.value.id, node.id
    evaluate(frame, node.value)
    frame.dropped = None


def _return(frame: Frame, node: ir.Return) -> None:
    frame.given_back = node.value.id if node.value is not None else None
    value = Literal(None) if node.value is None else evaluate(frame, node.value)
    if node.value is not None:
        note_returned(frame, value, node.value)
    frame.returns.append(Returned(value, frame.environment.tested))
    frame.environment.dead = True


def _raise(frame: Frame, node: ir.Raise) -> None:
    """An error's text may read tensors: it is made once, so nothing in it is on a hot path."""
    with frame.off_path():
        if node.value is not None:
            evaluate(frame, node.value)
    frame.environment.dead = True


def _assert(frame: Frame, node: ir.Assert) -> None:
    with frame.off_path():
        branches.note_truth(frame, node.test, evaluate(frame, node.test))
    narrow_to_host(frame, node.test)


def _delete(frame: Frame, node: ir.Delete) -> None:
    frame.environment.forget(name for target in node.targets if (name := path(target)))


def _leave(frame: Frame, node: ir.Leave) -> None:
    """`break` takes its state to the end of the loop, `continue` to the next turn."""
    ways_out = frame.breaks if node.keyword == "break" else frame.continues
    if ways_out:
        ways_out[-1].append(frame.environment.copy())
    frame.environment.dead = True


def _import(frame: Frame, node: ir.Import) -> None:
    if node.name == "*":
        frame.program.imports.add_star(node.module)
    for name, target in imported_names(node, frame.program.imports.absolute).items():
        frame.bind(name, External(target))


def _outer(frame: Frame, node: ir.Outer) -> None:
    frame.environment.forget(node.names)


def _if(frame: Frame, node: ir.If) -> None:
    test = _test_of(frame, node)
    before = frame.environment
    decided = _decided(frame, node.test)
    states: list[Environment] = []
    for block, holds in ((node.then, True), (node.orelse, False)):
        frame.environment = before.copy()
        frame.environment.dead = decided is not None and decided is not holds
        default = frame.default_device
        with branches.taken(frame, node.test, test, holds=holds, block=block):
            narrow(frame, node.test, holds=holds)
            run(frame, block)
        if frame.default_device != default:
            frame.default_device = (
                default if frame.environment.dead else _either(default, frame.default_device)
            )
        states.append(frame.environment)
    frame.environment = states[0].joined(states[1])
    frame.conditional = frame.conditional or states[0].dead or states[1].dead
    if branches.asked_by(frame, node.test).devices and not (states[0].dead or states[1].dead):
        branches.restored(frame.environment, before, assigned_names((*node.then, *node.orelse)))
    if isinstance(test, Availability):
        without = states[0] if test.negated else states[1]
        frame.program.runs_on_host = frame.program.runs_on_host or not without.dead
        frame.guarded = frame.guarded or (test.negated and without.dead)


def _test_of(frame: Frame, node: ir.If) -> Value:
    """The value of a test. One that guards nothing but a complaint is a check, however often it is made."""
    if branches.only_complains(node.then):
        with frame.off_path():
            test = evaluate(frame, node.test)
            branches.note_truth(frame, node.test, test)
            return test
    test = evaluate(frame, node.test)
    branches.note_truth(frame, node.test, test)
    return test


def _either(left: DeviceValue, right: DeviceValue) -> DeviceValue:
    """The default device where one path sets it and the other does not: nothing is said of it."""
    return left if left == right else DeviceValue(UNKNOWN)


def _for(frame: Frame, node: ir.For) -> None:
    iterable = generators.iterable(frame, node.iterable.id, evaluate(frame, node.iterable))
    kind = hot.of_loop(frame, node.body, iterable)

    def turn() -> None:
        drawn = iterate(iterable)
        bind_target(frame, node.target, drawn)
        run(frame, node.body)
        follow_drawn(frame, node.iterable, node.target, drawn)

    _loop(frame, (node,), turn, kind)
    run(frame, node.orelse)


def _while(frame: Frame, node: ir.While) -> None:
    kind = hot.of_loop(frame, node.body, None)

    def turn() -> None:
        branches.note_truth(frame, node.test, evaluate(frame, node.test))
        run(frame, node.body)

    _loop(frame, node.body, turn, kind)
    run(frame, node.orelse)


def _loop(frame: Frame, changed_by: ir.Block, turn: Callable[[], None], kind: HotPath | None) -> None:
    """Interpret a body until its state stays the same; a loop may also not run at all."""
    frame.loops.append(assigned_names(changed_by))
    frame.breaks.append([])
    frame.continues.append([])
    state = frame.environment
    with frame.on_path(kind or frame.hot):
        for number in range(MOST_TURNS):
            frame.environment = state.copy()
            turn()
            if number == 0 and _is_marked_as_first(state, frame.environment, frame.loops[-1]):
                state = _joined(frame.environment, frame.continues[-1])
                continue
            after = _joined(_joined(state, frame.continues[-1]), [frame.environment])
            if after is state or after.names == state.names:
                break
            state = after
        else:
            last = frame.environment.names
            state.forget(name for name in frame.loops[-1] if state.names.get(name) != last.get(name))
    frame.environment = _joined(state, frame.breaks.pop())
    frame.continues.pop()
    frame.loops.pop()


def _is_marked_as_first(before: Environment, after: Environment, changed: frozenset[str]) -> bool:
    """Whether a flag tells the first turn of a loop from the others: what was there before the loop is then
    there in the first turn only."""
    flags = (name for name in changed if isinstance(_flag(before, name), bool))
    return not after.dead and any(_flag(after, name) is (not _flag(before, name)) for name in flags)


def _flag(environment: Environment, name: str) -> bool | None:
    """The truth that a name holds, if it is known."""
    value = environment.get(name)
    return value.value if isinstance(value, Literal) and isinstance(value.value, bool) else None


def _decided(frame: Frame, test: ir.Expression) -> bool | None:
    """How a test of a flag comes out that the innermost loop changes, in the turn that is interpreted."""
    match test:
        case ir.Unary(operator="not", operand=operand):
            decided = _decided(frame, operand)
            return None if decided is None else not decided
        case ir.Name(name=name) if frame.loops and name in frame.loops[-1]:
            return _flag(frame.environment, name)
        case _:
            return None


def _joined(state: Environment, others: list[Environment]) -> Environment:
    for other in others:
        state = state.joined(other)
    return state


def _try(frame: Frame, node: ir.Try) -> None:
    before = frame.environment.copy()
    run(frame, node.body)
    run(frame, node.orelse)
    ends = [frame.environment]
    broken = before.joined(_alive(frame.environment))
    for handler in node.handlers:
        frame.environment = broken.copy()
        if handler.name:
            frame.bind(handler.name, TOP)
        with frame.off_path():
            run(frame, handler.body)
        ends.append(frame.environment)
    state = ends[0]
    for end in ends[1:]:
        state = state.joined(end)
    frame.environment = state
    dead, frame.environment.dead = state.dead, False
    run(frame, node.final)
    frame.environment.dead = frame.environment.dead or dead


def _alive(environment: Environment) -> Environment:
    return Environment(environment.names)


def _with(frame: Frame, node: ir.With) -> None:
    default = frame.default_device
    for context, target in node.items:
        entered = generators.enter(frame, context.id, evaluate(frame, context))
        if target is not None:
            bind_target(frame, target, entered)
    silent, frame.silent = frame.silent, frame.silent or _expects_an_error(frame, node)
    run(frame, node.body)
    frame.default_device, frame.silent = default, silent
    if not all(_is_torchs(frame, context) for context, _ in node.items):
        # It may be a timer, which waits for the device when it is left.
        frame.waited()


def _is_torchs(frame: Frame, context: ir.Expression) -> bool:
    """Whether a context is one of torch's, as `torch.no_grad()` is, none of which waits."""
    return isinstance(context, ir.Call) and frame.canonical(path(context.function)).startswith("torch.")


_ERROR_EXPECTED = frozenset(
    {"pytest.raises", "self.assertRaises", "self.assertRaisesRegex", "contextlib.suppress"}
)


def _expects_an_error(frame: Frame, node: ir.With) -> bool:
    """`with pytest.raises(...)`: what stands there is meant to be wrong."""
    calls = [context.function for context, _ in node.items if isinstance(context, ir.Call)]
    return any((frame.canonical(path(function)) or path(function)) in _ERROR_EXPECTED for function in calls)


def _match(frame: Frame, node: ir.Match) -> None:
    evaluate(frame, node.subject)
    before = frame.environment
    state = before.copy()
    state.dead |= any(case.irrefutable for case in node.cases)
    for case in node.cases:
        frame.environment = before.copy()
        frame.environment.forget(case.names)
        if case.guard is not None:
            branches.note_truth(frame, case.guard, evaluate(frame, case.guard))
        run(frame, case.body)
        state = state.joined(frame.environment)
    frame.environment = state


def _function(frame: Frame, node: ir.Function) -> None:
    frame.bind(node.name, frame.program.define_function(node, frame))
    # Who calls it, and when, need not be seen here.
    known = frame.environment.names
    frame.environment.forget(name for name in rebound_outside(node) if name in known)
    for name in changed_outside(node):
        if isinstance(known.get(name), Container | Instance):
            frame.environment.forget_below(name)
            frame.environment.forget((name,))


def _class(frame: Frame, node: ir.Class) -> None:
    frame.bind(node.name, frame.program.define_class(node, frame))


_EXECUTORS: dict[type, Callable[..., None]] = {
    ir.Assign: _assign,
    ir.Annotation: _annotation,
    ir.AugmentedAssign: _augmented,
    ir.Evaluate: _evaluate,
    ir.Return: _return,
    ir.Raise: _raise,
    ir.Assert: _assert,
    ir.Delete: _delete,
    ir.Leave: _leave,
    ir.Import: _import,
    ir.Outer: _outer,
    ir.If: _if,
    ir.For: _for,
    ir.While: _while,
    ir.Try: _try,
    ir.With: _with,
    ir.Match: _match,
    ir.Function: _function,
    ir.Class: _class,
}
