"""Whether a helper of the project makes the tensor that its caller moves: `self.kernel().to(x.device)`."""

from __future__ import annotations

from devlint.model import OriginStep, Step
from devlint.operators import is_between_host_data_and_tensors
from devlint.source import ir
from devlint.source.machine.domain.values import Imported, Reference
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.frames import Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import BoundMethod
from devlint.source.machine.operators.evidence import makes
from devlint.source.machine.operators.fresh import viewed
from devlint.source.walk import once_a_node, path, walk

_OF_CLASSES = frozenset({"classmethod", "staticmethod"})


def is_made_by_helper(machine: Machine, step: OriginStep, receiver: Passed) -> bool:
    """Whether the moved expression calls a function that creates the tensor and only computes with it: it
    could do so on the device."""
    called = viewed(receiver.expression)
    if step.step is not Step.MADE or not isinstance(called, ir.CallExpression) or not path(called.function):
        return False  # evaluating names has no effect
    function = _function_of(machine, called.function)
    if function is None or not makes(function, step):
        return False
    return _only_computes(function.node) and not _uses_arrays(function)


def _function_of(machine: Machine, named: ir.Expression) -> Function | None:
    held = machine.evaluate(named, machine.frame)
    target = held.target if isinstance(held, Reference) else None
    if isinstance(target, BoundMethod):
        return target.function
    return target if isinstance(target, Function) else None


def _uses_arrays(function: Function) -> bool:
    """Whether a function reads a name that stands for NumPy."""
    found = (function.scope.look_up(each) for each in _names(function.node))
    return any(isinstance(each, Imported) and each.module.split(".")[0] == "numpy" for each in found)


@once_a_node
def _names(node: ir.FunctionDef | ir.Lambda) -> frozenset[str]:
    inside = walk((node,), into_scopes=True)
    return frozenset(each.name for each in inside if isinstance(each, ir.Name))


@once_a_node
def _only_computes(node: ir.FunctionDef | ir.Lambda) -> bool:
    """Whether a function does nothing that would be slow on a device, such as to set one element after the
    other, and keeps nothing: a decorator may keep its results."""
    if isinstance(node, ir.Lambda):
        return True
    statements = walk(node.body)
    return all(path(each) in _OF_CLASSES for each in node.decorators) and not any(map(_is_other, statements))


def _is_other(node: object) -> bool:
    """Whether a node is a loop, stores a value elsewhere than in a name, or converts between tensors and data
    of the host: on the device, that would wait, or mix devices."""
    match node:
        case ir.Attribute(name=name):
            return is_between_host_data_and_tensors(name)
        case ir.For() | ir.While():
            return True
        case ir.Assign(targets=targets):
            return not all(isinstance(each, (ir.Name, ir.Sequence)) for each in targets)
        case ir.AugmentedAssign(target=target):
            return not isinstance(target, ir.Name)
        case _:
            return False
