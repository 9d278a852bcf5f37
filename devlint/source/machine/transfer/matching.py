"""Patterns of `match`, compared with the known part of the subject."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import Known, Union, Value
from devlint.source.machine.heap.frames import Frame
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
            return None if fits and arguments else fits
        case _:
            return None
