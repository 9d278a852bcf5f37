"""Code that test libraries call, and context managers that expect or suppress an error in their block."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.source import ir
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import External, Known, Reference, Value, alternatives
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.frames import Call, Frame
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library.handlers import Handler

_EXPECTATION = "unittest.case._AssertRaisesContext"
_SUPPRESSION = "contextlib.suppress"
TEST_CASE = "unittest.TestCase"
SET_UP = ("setUp", "asyncSetUp")
"""The methods of a test case that unittest calls before each test."""
METHODS = frozenset({"assertRaises", "assertRaisesRegex", "assertRaisesRegexp"})
"""Methods of unittest's test cases that expect an error."""


def expected(machine: Machine, call: Call) -> Value:
    """A context manager that expects an error until it is left."""
    return machine.adopt(Instance(_EXPECTATION, call.site))


def _suppressed(machine: Machine, call: Call) -> Value:
    """`contextlib.suppress(RuntimeError)`."""
    return machine.adopt(Instance(_SUPPRESSION, call.site))


def is_test(machine: Machine, function: Function) -> bool:
    """Whether pytest calls a function: with fixtures and parameters, not with a user's tensors on any
    device."""
    return any(name.startswith(_MARKS) for name, _ in _decorators(machine, function))


_MARKS = ("pytest.mark.", "pytest.fixture")


def stated_by_marks(machine: Machine, function: Function) -> dict[str, Value]:
    """The parameters of a test for which its marks list classes, functions or dtypes, with what they may be:
    `@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])`."""
    found: dict[str, Value] = {}
    frame = Frame(function.file, function.file.scope)
    for name, decorator in _decorators(machine, function):
        match decorator:
            case ir.CallExpression(arguments=(names, values, *_)) if name == "pytest.mark.parametrize":
                named = machine.evaluate(names.value, frame)
                listed = machine.evaluate(values.value, frame)
            case _:
                continue
        held = listed.target if isinstance(listed, Reference) else None
        items = held.items if isinstance(held, Container) and held.exact else []
        if isinstance(named, Known) and items and all(isinstance(each, External) for each in items):
            found[str(named.value)] = join_all(items)
    return found


def _decorators(machine: Machine, function: Function) -> Iterator[tuple[str, ir.Expression]]:
    """The decorators of a function that libraries define, with their names."""
    frame = Frame(function.file, function.file.scope)
    decorators = function.node.decorators if isinstance(function.node, ir.FunctionDef) else ()
    for each in decorators:
        held = machine.evaluate(each.function if isinstance(each, ir.CallExpression) else each, frame)
        if isinstance(held, External):
            yield held.name, each


def expects_error(manager: Value) -> bool:
    """Whether a context manager expects its block to raise, on some path at least."""
    return _is_of(manager, _EXPECTATION)


def suppresses_error(manager: Value) -> bool:
    """Whether the program goes on after an error in the block, as after a `try` with a handler."""
    return _is_of(manager, _SUPPRESSION)


def _is_of(manager: Value, name: str) -> bool:
    return any(
        isinstance(each, Reference) and isinstance(each.target, Instance) and each.target.of == name
        for each in alternatives(manager)
    )


EXPECTATIONS: dict[str, Handler] = {
    **dict.fromkeys(
        (
            "pytest.raises",
            "nose.tools.assert_raises",
            "nose.tools.assert_raises_regex",
            "numpy.testing.assert_raises",
            "numpy.testing.assert_raises_regex",
        ),
        expected,
    ),
    _SUPPRESSION: _suppressed,
}
"""The context managers, by canonical name."""
