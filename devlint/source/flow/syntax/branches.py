"""Tests: what taking a branch shows, and what testing a tensor costs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from devlint.model import CPU, UNKNOWN, Choice, Device, HotPath, Symbol
from devlint.operators import find
from devlint.source import ir
from devlint.source.flow.operators import operations
from devlint.source.flow.state.environment import Environment
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.lattice import map_devices
from devlint.source.flow.state.surroundings import Asked
from devlint.source.flow.state.values import Availability, Tensor, Value
from devlint.source.walk import path, walk

ABOUT_DEVICES = re.compile(r"cuda|gpu|device|accelerat|mps|cpu", re.IGNORECASE)
"""Names in a test by which a program asks where it runs."""
FOR_A_TRACE = re.compile(r"fx_proxy|is_scripting|is_tracing|onnx|is_export|is_fx_tracing|is_compiling")
"""Functions that ask whether a graph is being taken."""
NOT_EVERY_TURN = re.compile(
    r"(?:\b|_)(?:(?:log|logs|logging|logger|rank)(?:\b|_)|verbose|debug|print|report|profil|eval|save|saving"
    r"|plot|checkpoint|main_process)",
    re.IGNORECASE,
)
"""Words in the names of a test that keep a branch off the hot path."""


def note_truth(frame: Frame, expression: ir.Expression, value: Value) -> None:
    """Notes that the truth of a tensor is asked for, for which the host waits."""
    if not isinstance(value, Tensor):
        return
    operator = find("torch.Tensor.__bool__")
    if operator is not None:
        operations.apply(frame, expression.id, operator, [Passed(value, expression)])


@contextmanager
def taken(
    frame: Frame, test: ir.Expression, value: Value, *, holds: bool, block: ir.Block = ()
) -> Iterator[None]:
    """Interpret the branch that is taken when a test holds, or when it does not.

    Where there is an accelerator, a choice is that accelerator, and elsewhere it is the CPU. A branch that
    asks about devices in some other way may be the very case that a difference is handled in, so choices
    are unknown there.
    """
    before = frame.hot, frame.cold, frame.guarded, frame.silent, frame.first_time, frame.conditional
    frame.conditional = True
    asked = asked_by(frame, test)
    if isinstance(value, Availability):
        there = holds is not value.negated
        frame.guarded = frame.guarded or there
        if there or value.exact:
            frame.environment.map_devices(lambda device: _chosen(device, there))
        else:
            frame.environment.map_devices(lambda device: UNKNOWN if isinstance(device, Choice) else device)
        if not value.exact and _asks_for_a_device(test):
            frame.environment.map_devices(doubtful)
    elif asked.devices:
        frame.guarded = True
        frame.environment.map_devices(doubtful)
    if holds and asked.trace:
        frame.silent = True
    missing = _missing(frame, test, holds=holds)
    frame.first_time = frame.first_time or bool(missing)
    is_first = bool(missing) and not missing.isdisjoint(_made_to_last(block))
    seldom = is_first or (holds and asked.occasional)
    if seldom or _leaves_loop(frame, block):
        frame.hot, frame.cold = None, True
    try:
        yield
    finally:
        frame.hot, frame.cold, frame.guarded, frame.silent, frame.first_time, frame.conditional = before


def _leaves_loop(frame: Frame, block: ir.Block) -> bool:
    """Whether a branch is the end of the loop that makes it hot."""
    last = block[-1] if block else None
    return isinstance(last, ir.Leave) and last.keyword == "break" and frame.hot in _LOOPS


_LOOPS = frozenset({HotPath.TRAINING_LOOP, HotPath.LOADER_LOOP, HotPath.GENERATION_LOOP, HotPath.STATE_LOOP})


def _missing(frame: Frame, test: ir.Expression, *, holds: bool) -> frozenset[str]:
    """What has not been made yet where a branch is taken that is for the first time: `if self.head is None`,
    `if not hasattr(self, "head")`, `if size not in self.windows`, `if size not in WINDOWS`."""
    match test:
        case ir.Unary(operator="not", operand=operand):
            return _missing(frame, operand, holds=not holds)
        case ir.Boolean(operator=operator, left=left, right=right) if operator == ("or" if holds else "and"):
            parts = [_missing(frame, part, holds=holds) for part in (left, right)]
            return parts[0] | parts[1] if all(parts) else frozenset()
        case ir.Compare(left=left, rest=((("is" | "is_not") as operator, ir.Constant(value=None)),)):
            return _if_kept(frame, path(left)) if (operator == "is") is holds else frozenset()
        case ir.Compare(rest=((("in" | "not_in") as operator, kept),)):
            return _if_kept(frame, path(kept)) if (operator == "not_in") is holds else frozenset()
        case ir.Call(
            function=ir.Name(name="hasattr"),
            arguments=(
                ir.Argument(value=ir.Name(name="self")),
                ir.Argument(value=ir.Constant(value=str(name))),
            ),
        ):
            return frozenset() if holds else frozenset({f"self.{name}"})
        case ir.Attribute():
            return frozenset() if holds else _if_kept(frame, path(test))
        case _:
            return frozenset()


def _if_kept(frame: Frame, name: str) -> frozenset[str]:
    """A name that outlasts the call: an attribute of `self`, or a name of the file."""
    is_global = frame.environment.get(name) is None and name in frame.program.globals.names
    return frozenset({name}) if name.startswith("self.") or is_global else frozenset()


def _made_to_last(block: ir.Block) -> Iterator[str]:
    """What a branch assigns, puts something into, or registers."""
    for node in walk(block):
        match node:
            case ir.Assign(targets=targets):
                for target in targets:
                    yield path(target.value if isinstance(target, ir.Subscript) else target)
            case ir.Call(
                function=ir.Attribute(value=owner, name="register_buffer"),
                arguments=(ir.Argument(value=ir.Constant(value=str(name))), *_),
            ):
                yield f"{path(owner)}.{name}"


def _asks_for_a_device(test: ir.Expression) -> bool:
    """Whether a part of a test is a flag about devices: `self.on_cpu and torch.cuda.is_available()`."""
    parts = (node for node in walk([test]) if isinstance(node, ir.Name | ir.Attribute))
    called = {id(node.function) for node in walk([test]) if isinstance(node, ir.Call)}
    return any(
        ABOUT_DEVICES.search(path(part).rpartition(".")[2])
        for part in parts
        if id(part) not in called and path(part) != "torch.cuda"
    )


def doubtful(device: Device) -> Device:
    """A device in a branch that asks about devices: the branch may be there for the very case."""
    return UNKNOWN if isinstance(device, Choice | Symbol) else device


def restored(after: Environment, before: Environment, changed: frozenset[str]) -> None:
    """Behind a branch that asks about devices, what it has not changed is known again."""
    for name, value in before.names.items():
        if name not in changed and after.names.get(name) == map_devices(value, doubtful):
            after.names[name] = value


def _chosen(device: Device, there: bool) -> Device:
    if not isinstance(device, Choice):
        return device
    return device.accelerator if there else CPU


def asked_by(frame: Frame, test: ir.Expression) -> Asked:
    """What a test asks about. It is looked at once, however often it is interpreted."""
    known = frame.program.asked.get(test.id)
    if known is None:
        known = frame.program.asked[test.id] = _look_at(test)
    return known


def _look_at(test: ir.Expression) -> Asked:
    names: list[str] = []
    trace = occasional = False
    for node in walk([test]):
        match node:
            case ir.Name(name=name) | ir.Attribute(name=name) | ir.Constant(value=str(name)):
                names.append(name)
            case ir.Call(function=function):
                trace = trace or FOR_A_TRACE.search(path(function)) is not None
            case (
                ir.Compare(left=ir.Binary(operator="mod"), rest=(("eq", _),))
                | ir.Unary(operator="not", operand=ir.Binary(operator="mod"))
            ):
                occasional = True
    words = " ".join(names)
    occasional = occasional or NOT_EVERY_TURN.search(words) is not None or _asks_for_failure(test)
    match test:
        case ir.Compare(rest=((("is" | "is_not"), ir.Constant(value=None)),)):
            # Whether a device was given at all is another question.
            devices = False
        case _:
            devices = ABOUT_DEVICES.search(words) is not None
    return Asked(devices, trace, occasional)


def _asks_for_failure(test: ir.Expression) -> bool:
    """`torch.isnan(x).any()`: a computation has come to nothing."""
    match test:
        case ir.Call(function=ir.Attribute(value=ir.Call() as inner, name="any" | "all" | "item")):
            return _asks_for_failure(inner)
        case ir.Call(function=function):
            return path(function).rpartition(".")[2] in {"isnan", "isinf"}
        case _:
            return False


def only_complains(block: ir.Block) -> bool:
    """Whether a branch does nothing but raise or warn: a check of its arguments."""
    return bool(block) and (
        isinstance(block[-1], ir.Raise)
        or all(isinstance(statement, ir.Evaluate) and _warns(statement.value) for statement in block)
    )


def _warns(expression: ir.Expression) -> bool:
    return isinstance(expression, ir.Call) and path(expression.function).rsplit(".", 1)[-1] in {
        "warn",
        "warning",
        "warn_once",
    }
