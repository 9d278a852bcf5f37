"""Tests whose outcome is stored in a name for later use: `on_gpu = x.is_cuda`."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import Scalar, Value
from devlint.source.machine.heap.frames import Frame, KeptTest
from devlint.source.machine.transfer.cells import cell
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import walk

_TESTS = (ir.Attribute, ir.Boolean, ir.CallExpression, ir.Compare, ir.Unary)


def keep_test(machine: Interpreter, node: ir.Assign, held: Value, frame: Frame) -> None:
    """Record that a name holds the outcome of an undecided test."""
    if not isinstance(held, Scalar) or held.type != "bool" or not isinstance(node.value, _TESTS):
        return
    match node.targets:
        case (ir.Name(name=name),):
            places = [
                place
                for each in walk((node.value,))
                if isinstance(each, (ir.Name, ir.Attribute))
                and (place := cell(machine, each, frame)) is not None
            ]
            read = [(target, key, target.cells.get(key)) for target, key in places]
            frame.kept_tests[name] = KeptTest(node.value, held, read)


def kept_test(name: str, frame: Frame) -> ir.Expression | None:
    """The test whose outcome a name holds, if the test would still have the same outcome."""
    kept = frame.kept_tests.get(name)
    if kept is None or frame.scope.cells.get(name) is not kept.outcome:
        return None
    unchanged = all(target.cells.get(key) is held for target, key, held in kept.read)
    return kept.test if unchanged else None
