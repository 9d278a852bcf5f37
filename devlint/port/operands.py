"""The tensors that a function combines with tensors that it creates."""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from devlint.operators import find
from devlint.port.source import Source, parameters
from devlint.port.tensors import inside, shows_tensor


def partner(source: Source, function: cst.FunctionDef, node: cst.CSTNode, moved: Collection[str]) -> str:
    """The tensor parameter of a function that an operation combines with the result of a place, so that both
    must be on one device. Empty if there is none, or if the function moves it."""
    made = _name_of_result(source, node)
    if not made:
        return ""
    nodes = inside(function)
    for parameter in parameters(function):
        name = parameter.name.value
        if name in source.assigned(function) or name in moved or name == made:
            continue
        is_tensor = any(shows_tensor(source, each, name) for each in nodes)
        if is_tensor and any(_combines(source, each, name, made) for each in nodes):
            return name
    return ""


def _name_of_result(source: Source, node: cst.CSTNode) -> str:
    """The only name that is bound to the result of a place, also through methods that keep the device."""
    for parent, child in source.around(node):
        if isinstance(parent, cst.Assign):
            target = parent.targets[0].target
            return target.value if len(parent.targets) == 1 and isinstance(target, cst.Name) else ""
        follows = isinstance(parent, cst.Attribute) or (isinstance(parent, cst.Call) and parent.func is child)
        if not follows:
            return ""
    return ""


def _combines(source: Source, node: cst.CSTNode, one: str, other: str) -> bool:
    """Whether a node is an operation on two names: `x * m`, `x.div(p).mul_(m)`, `torch.mul(x, m)`."""
    match node:
        case cst.BinaryOperation():
            return {one, other} == {_root(node.left), _root(node.right)}
        case cst.Call(func=cst.Attribute() as func):
            name = source.imported(func)
            if find(name or f"torch.Tensor.{func.attr.value}") is None:
                return False
            operands = {_root(arg.value) for arg in node.args} | ({_root(func.value)} - {name})
            return {one, other} <= operands
        case _:
            return False


def _root(node: cst.BaseExpression) -> str:
    """The name at the start of an attribute path or of a chain of method calls."""
    while isinstance(node, (cst.Attribute, cst.Call)):
        node = node.value if isinstance(node, cst.Attribute) else node.func
    return node.value if isinstance(node, cst.Name) else ""
