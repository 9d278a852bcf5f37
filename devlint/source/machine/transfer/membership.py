"""Membership: `x in xs` and `x not in xs`."""

from __future__ import annotations

from devlint.model import Cause
from devlint.operators import find
from devlint.source import ir
from devlint.source.machine.domain.dtypes import Dtype, are_equal
from devlint.source.machine.domain.kinds import is_on_cuda, is_spelled_with, kind_of
from devlint.source.machine.domain.loops import FEW_TURNS, Loop
from devlint.source.machine.domain.option_values import GivenText
from devlint.source.machine.domain.values import (
    BOOL,
    DeviceValue,
    External,
    Known,
    Reference,
    Scalar,
    Tensor,
    Value,
    changed,
)
from devlint.source.machine.heap.derived_containers import as_dict, is_dict
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.keys import key_of, same_key, texts_of
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.heap.registries import await_registration
from devlint.source.machine.library import environment, launcher
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.operators.waits import note_wait
from devlint.source.machine.transfer.interpreter import Interpreter

Side = tuple[ir.Expression, Value]
_MANY = 4
"""One of so many turns, at most, is one of few."""


def contains(
    machine: Interpreter, node: ir.Compare, name: str, left: Side, right: Side, frame: Frame
) -> Value:
    """`left in right`, or `left not in right`."""
    needle, held = left[1], right[1]
    if isinstance(held, Tensor):
        operator = find("torch.Tensor.__contains__")
        operands = [Passed(value, expression, frame.site(expression)) for expression, value in (right, left)]
        return BOOL if operator is None else apply(machine, frame.site(node), operator, operands)
    if isinstance(held, Reference) and isinstance(held.target, Container):
        machine.read(held.target)
        if isinstance(needle, Tensor) and held.target.kind in ("list", "tuple"):
            # Python asks of each element whether it is equal: that is not what was read before.
            equal, passed = changed(needle, serial=0), Passed(needle, left[0], frame.site(left[0]))
            note_wait(machine, frame.site(node), "torch.Tensor.__bool__", Cause.BRANCH, equal, passed, "self")
    if (found := _holds(machine, held, needle)) is not None:
        return Known(found is (name == "in"))
    return _of_counter(name, needle, held, machine.execution.loop)


def _of_counter(name: str, one: Value, several: Value, loop: Loop | None) -> Scalar:
    """`one in several`, or `not in`. A counter of turns is one of a few numbers that are written down in few
    turns."""
    counts = isinstance(one, Scalar) and one.counter
    held = several.target if isinstance(several, Reference) else None
    if not (counts and isinstance(held, Container) and held.kind in ("list", "tuple", "set") and held.exact):
        return BOOL
    turns = loop.turns if loop is not None else None
    few = held.length < FEW_TURNS and (turns is None or held.length * _MANY <= turns)
    written = few and all(isinstance(each, Known) for each in held.items)
    return Scalar("bool", periodic=1 if name == "in" else -1) if written else BOOL


def _holds(machine: Interpreter, held: Value, needle: Value) -> bool | None:
    """`needle in held`."""
    if isinstance(needle, DeviceValue) and needle.is_type:
        needle = Known(kind_of(needle.device))
    if isinstance(held, Reference) and isinstance(held.target, Instance) and is_dict(held.target):
        return _holds(machine, Reference(as_dict(held.target)), needle)
    if isinstance(held, Reference) and isinstance(held.target, Container):
        if isinstance(needle, GivenText) and held.target.exact:
            return machine.text_of(needle, texts_of(held.target)) is not None
        await_registration(machine, held.target, needle)
        return _is_element(needle, held.target)
    if isinstance(held, GivenText) and isinstance(needle, Known) and isinstance(needle.value, str):
        return machine.has_part(held, needle.value)
    if not isinstance(needle, Known) or not isinstance(needle.value, str):
        return None
    if held == External(environment.ENVIRONMENT):
        return environment.is_set(machine, needle) or launcher.is_set(machine, needle)
    if isinstance(held, DeviceValue) and held.names_dtype:
        return is_on_cuda(held.device) if needle.value == "cuda" else None
    if isinstance(held, DeviceValue) and held.is_string:
        return is_spelled_with(held.device, needle.value)
    return needle.value in held.value if isinstance(held, Known) and isinstance(held.value, str) else None


def _is_element(needle: Value, held: Container) -> bool | None:
    if held.kind != "dict" and not held.exact:
        return None
    if isinstance(needle, Dtype) and held.kind != "dict":
        return _is_any({are_equal(needle, each) for each in held.items})
    key = key_of(needle)
    others = held.cells if held.kind == "dict" else map(key_of, held.items)
    return _is_any({same_key(key, each) for each in others})


def _is_any(answers: set[bool | None]) -> bool | None:
    return True if True in answers else None if None in answers else False
