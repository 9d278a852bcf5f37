"""Whether a turn of a loop creates what it moves."""

from __future__ import annotations

from itertools import takewhile

from devlint.model import OriginStep, Step
from devlint.source import ir
from devlint.source.machine.domain.loops import Loop, is_inside
from devlint.source.machine.domain.values import Tensor
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.operators.shapes import ITEMSIZES, VIEWS_OF_ALL
from devlint.source.walk import path, walk

_VIEWS_AND_CONVERSIONS = VIEWS_OF_ALL.union(ITEMSIZES, ("type",))
"""Methods that return all elements, in another shape or of another dtype."""
_FILLS = frozenset(
    {"bernoulli_", "cauchy_", "exponential_", "fill_", "geometric_", "log_normal_", "normal_", "random_",
     "uniform_", "zero_"}
)  # fmt: skip
"""Methods that replace all elements, on whatever device they are."""


def is_within(step: OriginStep, receiver: Passed) -> bool:
    """Whether the moved expression itself creates the tensor: `(torch.rand(n) > 0.5).to(device)`."""
    if step.step is not Step.MADE or isinstance(receiver.expression, (ir.Name, ir.Attribute, ir.Subscript)):
        return False
    base = receiver.site - receiver.expression.id
    return any(getattr(node, "id", None) == step.site - base for node in walk((receiver.expression,)))


def is_made_before(machine: Machine, tensor: Tensor, receiver: Passed) -> bool:
    """Whether an earlier statement of the same turn of a loop creates the value of a name:
    `x = torch.rand(8)` before `x = x.to(device)`."""
    last, expression = tensor.origin.last, viewed(receiver.expression)
    if last is None or last.step is not Step.MADE or not isinstance(expression, ir.Name):
        return False
    loop = _loop_of_birth(machine, tensor, expression.name)
    bound = None if loop is None else _bound_before(machine.frame, loop, expression.name)
    return bound is not None and machine.frame.site(bound) == last.site


def _loop_of_birth(machine: Machine, tensor: Tensor, name: str) -> Loop | None:
    """The loop whose turn has created a tensor: the innermost one, or one around it, if the first turn of the
    inner loop replaces the value of the name (`state = state.to(device) + x`)."""
    loop, statement = machine.execution.loop, machine.frame.statement
    if tensor.born is loop or tensor.born is None or not is_inside(loop, tensor.born):
        return loop if tensor.born is loop else None
    replaces = isinstance(statement, ir.Assign) and name in map(path, statement.targets)
    return tensor.born if replaces else None


def is_of_this_turn(machine: Machine, tensor: Tensor, receiver: Passed) -> bool:
    """Whether the moved expression creates a tensor, or views or converts all of a new one
    (`torch.tensor(labels).view(-1, 1)`), or computes one in this turn of a loop (`torch.cat(rows)`); or an
    earlier statement of the turn has given its result a name."""
    made, loop, expression = tensor.origin.made(), machine.execution.loop, viewed(receiver.expression)
    if made is not None and made.site == receiver.site - receiver.expression.id + expression.id:
        return True
    if loop is None or tensor.born is not loop or made is None:
        return False
    bound: ir.Expression | None = expression
    if isinstance(expression, ir.Name):
        bound = _bound_before(machine.frame, loop, expression.name)
    return isinstance(bound, (ir.CallExpression, ir.Binary))


def _bound_before(frame: Frame, loop: Loop, name: str) -> ir.Expression | None:
    """The expression whose value an earlier statement of the turn has given a name, or what it views."""
    before = list(takewhile(lambda each: each is not frame.statement, _bindings(frame, loop, name)))
    return viewed(before[-1].value) if before else None


def _bindings(frame: Frame, loop: Loop, name: str) -> list[ir.Assign | ir.AugmentedAssign]:
    """The statements that bind a name in repeated code: the body of a loop, or a function that it calls."""
    body = frame.file.body if frame.function is None else frame.function.node.body
    repeated = walk(body) if isinstance(body, tuple) else iter(())
    if loop.frame is frame:
        loops = (each for each in repeated if isinstance(each, (ir.For, ir.While)))
        repeated = (each for node in loops if frame.site(node) == loop.site for each in walk((node,)))
    return [
        each
        for each in repeated
        if (isinstance(each, ir.Assign) and name in map(path, each.targets))
        or (isinstance(each, ir.AugmentedAssign) and path(each.target) == name)
    ]


def viewed(expression: ir.Expression) -> ir.Expression:
    """What an expression views, converts or fills all of."""
    while isinstance(expression, ir.CallExpression) and isinstance(expression.function, ir.Attribute):
        if expression.function.name not in _VIEWS_AND_CONVERSIONS and expression.function.name not in _FILLS:
            break
        expression = expression.function.value
    return expression
