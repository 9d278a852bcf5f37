"""Patterns of `match`: whether the known part of a subject matches, and what their names are bound to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devlint.source import ir
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import (
    TOP,
    Array,
    Known,
    Reference,
    Scalar,
    Tensor,
    Union,
    Value,
    alternatives,
)
from devlint.source.machine.heap.classes import fields_of
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.keys import under_key
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.transfer.instances import is_instance
from devlint.source.machine.transfer.interpreter import Interpreter


def matches(machine: Interpreter, pattern: ir.Pattern, held: Value, frame: Frame) -> bool | None:
    """Whether a subject matches a pattern; None if that is not known."""
    if isinstance(held, Union):
        answers = {matches(machine, pattern, each, frame) for each in held.alternatives}
        return answers.pop() if len(answers) == 1 else None
    match pattern:
        case ir.CapturePattern(pattern=inner):
            return inner is None or matches(machine, inner, held, frame)
        case ir.AlternativePattern(alternatives=alternatives):
            each = [matches(machine, one, held, frame) for one in alternatives]
            return True if True in each else None if None in each else False
        case ir.ValuePattern(value=value):
            wanted = machine.evaluate(value, frame)
            known = isinstance(held, Known) and isinstance(wanted, Known)
            return held == wanted if known else None
        case ir.ClassPattern(type=type_, arguments=arguments):
            fits = is_instance(held, machine.evaluate(type_, frame))
            return fits if all(map(_takes_all, (each for _, each in arguments))) else fits and None
        case ir.SequencePattern() | ir.MappingPattern():
            return _is_collection(machine, pattern, held, frame)
        case _:
            return None


def _takes_all(pattern: ir.Pattern) -> bool:
    return isinstance(pattern, ir.CapturePattern) and pattern.pattern is None


def _is_collection(
    machine: Interpreter, pattern: ir.SequencePattern | ir.MappingPattern, held: Value, frame: Frame
) -> bool | None:
    """Whether a subject is a sequence or a mapping with these parts. Texts and tensors are neither."""
    target = held.target if isinstance(held, Reference) else None
    if isinstance(target, Instance):
        return False if isinstance(target.of, Class) and not target.of.externals else None
    if not isinstance(target, Container):
        return False if isinstance(held, (Known, Scalar, Tensor, Array)) else None
    if (target.kind == "dict") is not isinstance(pattern, ir.MappingPattern) or target.kind == "set":
        return False
    if isinstance(pattern, ir.MappingPattern):
        keys = [machine.evaluate(key, frame) for key, _ in pattern.items]
        found = [under_key(target, key) for key in keys]
        if None in found:
            return False if target.exact else None
        inner = zip((each for _, each in pattern.items), found, strict=True)
    else:
        parts = list(_positions(pattern.elements))
        if not target.exact:
            return None
        if target.length < len(parts) or (target.length > len(parts) == len(pattern.elements)):
            return False
        items = target.items
        inner = zip((each for _, each in parts), (items[at] for at, _ in parts), strict=True)
    return _all(matches(machine, each, part, frame) for each, part in inner if part is not None)


def _all(answers: Iterable[bool | None]) -> bool | None:
    found = set(answers)
    return False if False in found else None if None in found else True


def bindings(
    machine: Interpreter, pattern: ir.Pattern, subject: Passed, frame: Frame
) -> Iterator[tuple[str, Value]]:
    """The names that a pattern binds, with their values for the alternatives of a subject that may match."""
    fitting = [
        each for each in alternatives(subject.value) if matches(machine, pattern, each, frame) is not False
    ]
    held = subject._replace(value=join_all(fitting) if fitting else TOP)
    match pattern:
        case ir.CapturePattern(pattern=inner, name=name):
            if name:
                yield name, held.value
            if inner is not None:
                yield from bindings(machine, inner, held, frame)
        case ir.AlternativePattern(alternatives=several):
            for each in several:
                if matches(machine, each, held.value, frame) is not False:
                    yield from bindings(machine, each, held, frame)
        case ir.SequencePattern(elements=parts):
            for index, each in _positions(parts):
                part = held._replace(value=_element(machine, held, Known(index), frame))
                yield from bindings(machine, each, part, frame)
        case ir.MappingPattern(items=items):
            for key, each in items:
                wanted = machine.evaluate(key, frame)
                part = held._replace(value=_element(machine, held, wanted, frame))
                yield from bindings(machine, each, part, frame)
        case ir.ClassPattern(arguments=arguments):
            for position, (keyword, each) in enumerate(arguments):
                name = keyword or _field(held.value, position)
                found = machine.attribute(held.value, name, frame, held.expression) if name else TOP
                yield from bindings(machine, each, held._replace(value=found), frame)
        case _:
            pass


def _positions(parts: tuple[ir.Pattern, ...]) -> Iterator[tuple[int, ir.Pattern]]:
    """The patterns of a sequence with their positions, which count from the end behind `*rest`."""
    rest = next((at for at, each in enumerate(parts) if isinstance(each, ir.RestPattern)), len(parts))
    for at, each in enumerate(parts):
        if at != rest:
            yield at if at < rest else at - len(parts), each


def _element(machine: Interpreter, owner: Passed, index: Value, frame: Frame) -> Value:
    return machine.element(owner, owner._replace(value=index), frame, owner.expression)


def _field(held: Value, position: int) -> str:
    """The attribute that a positional pattern of a dataclass or a named tuple stands for."""
    target = held.target if isinstance(held, Reference) else None
    of = target.of if isinstance(target, Instance) else None
    fields = fields_of(of) if isinstance(of, Class) else []
    return fields[position] if position < len(fields) else ""
