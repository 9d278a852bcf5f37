"""Code that test libraries call, and their context managers that expect an error in their block."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import External, Reference, Value, alternatives
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.frames import Call, Frame
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.library.handlers import Handler

_EXPECTATION = "unittest.case._AssertRaisesContext"
TEST_CASE = "unittest.TestCase"
SET_UP = ("setUp", "asyncSetUp")
"""The methods of a test case that unittest calls before each test."""
METHODS = frozenset({"assertRaises", "assertRaisesRegex", "assertRaisesRegexp"})
"""Methods of unittest's test cases that expect an error."""


def expected(machine: Machine, call: Call) -> Value:
    """A context manager that expects an error until it is left."""
    return machine.adopt(Instance(_EXPECTATION, call.site))


def is_test(machine: Machine, function: Function) -> bool:
    """Whether pytest calls a function: with fixtures and parameters, not with a user's tensors on any
    device."""
    frame = Frame(function.file, function.file.scope)
    decorators = function.node.decorators if isinstance(function.node, ir.FunctionDef) else ()
    marks = (each.function if isinstance(each, ir.CallExpression) else each for each in decorators)
    return any(
        isinstance(held, External) and held.name.startswith(_MARKS)
        for held in (machine.evaluate(each, frame) for each in marks)
    )


_MARKS = ("pytest.mark.", "pytest.fixture")


def expects_error(manager: Value) -> bool:
    """Whether a context manager expects its block to raise, on some path at least."""
    return any(
        isinstance(each, Reference) and isinstance(each.target, Instance) and each.target.of == _EXPECTATION
        for each in alternatives(manager)
    )


EXPECTATIONS: dict[str, Handler] = dict.fromkeys(
    (
        "pytest.raises",
        "nose.tools.assert_raises",
        "nose.tools.assert_raises_regex",
        "numpy.testing.assert_raises",
        "numpy.testing.assert_raises_regex",
    ),
    expected,
)
"""The context managers, by canonical name."""
