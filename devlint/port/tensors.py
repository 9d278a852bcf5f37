"""How code of a module can find its device: by a tensor argument, or by its parameters."""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from devlint.operators import ArgumentKind, find
from devlint.operators.operator import MAKERS
from devlint.port.project import Project, method
from devlint.port.source import Source, own_name, parameters

_ATTRIBUTES = frozenset({"data", "device", "dtype", "grad", "requires_grad", "shape"})
_TENSORS = (ArgumentKind.TENSOR, ArgumentKind.TENSORS)


def argument_on_device(source: Source, function: cst.FunctionDef, moved: Collection[str]) -> str:
    """The first argument of a method that is used as a tensor and that the method does not move itself, so
    that it has the device of the computation; empty without one."""
    for parameter in parameters(function)[1:]:
        name = parameter.name.value
        if parameter.default is not None or name in moved or not _keeps(source, function, name):
            continue
        if any(shows_tensor(source, node, name) for node in inside(function)):
            return name
    return ""


def has_parameters(project: Project, owner: cst.ClassDef, modules: frozenset[str]) -> bool:
    """Whether the constructor of a module creates parameters: its own, those of a layer, or of a module of
    the project."""
    seen: set[cst.ClassDef] = set()
    waiting = [owner]
    while waiting:
        each = waiting.pop()
        if each in seen or not project.inherits(each, modules):
            continue
        seen.add(each)
        source, constructor = project.home[each], method(each, "__init__")
        calls = [node for node in inside(constructor) if isinstance(node, cst.Call)] if constructor else []
        if any(_creates_parameters(source, call) for call in calls):
            return True
        created = {found for call in calls for found in project.meaning(source, call.func)}
        waiting += [found for found in created if isinstance(found, cst.ClassDef)] + project.bases(each)
    return False


_LAYERS = (
    "Linear",
    "Conv",
    "BatchNorm",
    "LayerNorm",
    "GroupNorm",
    "Embedding",
    "LSTM",
    "GRU",
    "RNN",
    "Bilinear",
)


def _creates_parameters(source: Source, node: cst.Call) -> bool:
    module, _, name = source.imported(node.func).rpartition(".")
    return module.startswith("torch.nn") and (name == "Parameter" or name.startswith(_LAYERS))


def inside(function: cst.FunctionDef) -> list[cst.CSTNode]:
    """The nodes of a function's body."""
    found: list[cst.CSTNode] = []
    waiting: list[cst.CSTNode] = [function.body]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += node.children
    return found


def _keeps(source: Source, function: cst.FunctionDef, name: str) -> bool:
    """Whether a parameter keeps its value, because nothing else is assigned to it."""
    return name not in source.assigned(function)


def shows_tensor(source: Source, node: cst.CSTNode, name: str) -> bool:
    """Whether a node uses a name as a tensor."""
    match node:
        case cst.Attribute(value=cst.Name(value=used), attr=cst.Name(value=attribute)):
            return used == name and (
                attribute in _ATTRIBUTES or find(f"torch.Tensor.{attribute}") is not None
            )
        case cst.Call():
            first = node.args[0].value if node.args else None
            if not isinstance(first, cst.Name) or first.value != name:
                return False
            if not source.imported(node.func):
                return _belongs_to_own_object(source, node.func)
            operator = find(source.imported(node.func))
            return (
                operator is not None
                and operator.rule not in MAKERS
                and bool(operator.positional)
                and operator.positional[0].kind in _TENSORS
            )
        case _:
            return False


def _belongs_to_own_object(source: Source, node: cst.BaseExpression) -> bool:
    """Whether an attribute belongs to the object of the enclosing method."""
    frame = source.frame(node)
    is_method = isinstance(frame, cst.FunctionDef) and isinstance(source.frame(frame), cst.ClassDef)
    own, dot, _ = source.code(node).partition(".")
    return is_method and bool(dot) and own == own_name(frame)
