"""Tests whose outcome is stored in a name for later use: `on_gpu = x.is_cuda`, `kind = kind_of(x)`."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import Known, Scalar, Value, alternatives
from devlint.source.machine.heap.frames import Frame, KeptTest
from devlint.source.machine.transfer.cells import cell
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import walk

_TESTS = (ir.Attribute, ir.Boolean, ir.CallExpression, ir.Compare, ir.Unary)


def keep_test(machine: Interpreter, node: ir.Assign, held: Value, frame: Frame) -> None:
    """Record that a name holds the outcome of an undecided test."""
    if not _is_outcome(node.value, held):
        return
    match node.targets:
        case (ir.Name(name=name),):
            places = [
                place
                for each in walk((node.value,))
                if isinstance(each, (ir.Name, ir.Attribute, ir.Subscript))
                and (place := cell(machine, each, frame)) is not None
            ]
            read = [(target, key, target.cells.get(key)) for target, key in places]
            frame.kept_tests[name] = KeptTest(node.value, held, read)


def _is_outcome(asked: ir.Expression, held: Value) -> bool:
    """Whether an expression tests something: its value is true or false, or one of several strings."""
    if isinstance(held, Scalar):
        return held.type == "bool" and isinstance(asked, _TESTS)
    return (
        isinstance(asked, ir.CallExpression)
        and len(alternatives(held)) > 1
        and all(isinstance(each, Known) and isinstance(each.value, str) for each in alternatives(held))
    )


def asked_function(compared: ir.Expression, frame: Frame) -> ir.CallExpression | None:
    """The call whose result a test compares, itself or by a name."""
    asked = kept_test(compared.name, frame) if isinstance(compared, ir.Name) else compared
    return asked if isinstance(asked, ir.CallExpression) else None


def kept_test(name: str, frame: Frame) -> ir.Expression | None:
    """The test whose outcome a name holds, if the test would still have the same outcome."""
    kept = frame.kept_tests.get(name)
    if kept is None or frame.scope.cells.get(name) is not kept.outcome:
        return None
    unchanged = all(target.cells.get(key) is held for target, key, held in kept.read)
    return kept.test if unchanged else None
