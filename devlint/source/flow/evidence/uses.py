"""Whether something that is moved is a tensor, by what else a function does with it.

A tensor, a module and a batch all have `.to()`. Only a tensor is also added, sliced or given to an operator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from devlint.operators import ArgumentKind, DeviceRule, find, tensor_only_attributes
from devlint.source import ir
from devlint.source.flow.evidence.evidence import MODULE_ATTRIBUTES, TAKE_ANYTHING
from devlint.source.flow.syntax.movers import MOVERS
from devlint.source.walk import Node, path, text, walk

_OF_TENSORS = frozenset({"shape", "size", "dim", "ndim", "numel", "new_zeros", "new_ones", "clone", "detach"})
"""What neither modules nor batches have, though arrays do, which cannot be moved."""
_COMPARISONS = frozenset({"lt", "le", "gt", "ge"})


def is_used_as_tensor(block: ir.Block, moved: ir.Expression, resolve: Callable[[str], str]) -> bool:
    """Whether some use shows it to be a tensor, and none shows that it is something else.

    `resolve` gives the canonical name of a dotted path, or an empty string.
    """
    name = text(moved)
    shown = False
    for node in walk(block, into_scopes=True):
        if is_use_of_module(node, name) or _is_call_of_other_method(node, name):
            return False
        shown = shown or _is_use_of_tensor(node, name, resolve)
    return shown


def kept_as_tensors(methods: ir.Block, resolve: Callable[[str], str]) -> frozenset[str]:
    """The attributes of `self` that the methods of a class use as nothing but tensors can be used. Numbers
    and arrays are added and sliced, too."""
    tensors: set[str] = set()
    others: set[str] = set()
    for node in walk(methods, into_scopes=True):
        if isinstance(node, ir.Attribute):
            kept = _own(node.value)
            if kept and node.name in tensor_only_attributes():
                tensors.add(kept)
            elif kept and not _has_tensor(node.name):
                others.add(kept)
        elif isinstance(node, ir.Call):
            others.add(_own(node.function))
            tensors.update(map(_own, _taken_first(node, resolve)))
    return frozenset(tensors - others - {""})


def _taken_first(call: ir.Call, resolve: Callable[[str], str]) -> Sequence[ir.Expression]:
    """What an operator takes in the first place, if that is of `self`, and the operator takes nothing but
    tensors there; behind it, it may take numbers."""
    first = call.arguments[0] if call.arguments else None
    if first is None or first.keyword or first.stars:
        return ()
    inside = first.value.elements if isinstance(first.value, ir.Sequence) else ()
    if not any(map(_own, (first.value, *inside))):
        return ()
    name = path(call.function)
    operator = find(resolve(name)) if name else None
    if operator is None or operator.rule is DeviceRule.FACTORY or operator.name in TAKE_ANYTHING:
        return ()
    if operator.name.endswith("Tensor") or not operator.arguments:
        return ()
    if operator.arguments[0].kind is ArgumentKind.TENSORS and inside:
        return inside
    return (first.value,) if operator.arguments[0].kind is ArgumentKind.TENSOR else ()


def _own(expression: ir.Expression) -> str:
    """`mask` of `self.mask`; empty for anything else."""
    match expression:
        case ir.Attribute(value=ir.Name(name="self"), name=name):
            return name
        case _:
            return ""


def is_use_of_module(node: Node, name: str) -> bool:
    """`x(y)`, `x.parameters()`, `f(**x)`."""
    match node:
        case ir.Call(function=function) if text(function) == name:
            return True
        case ir.Call(arguments=arguments):
            # What `**` takes apart is a mapping.
            return any(argument.stars == 2 and text(argument.value) == name for argument in arguments)
        case ir.Attribute(value=value, name=attribute) if attribute in MODULE_ATTRIBUTES:
            return text(value) == name
        case _:
            return False


def is_use_of_other_object(node: Node, name: str) -> bool:
    """`x(y)`, `x.parameters()`, and whatever else tensors have not: `x.generate()`, `x.scale`."""
    if is_use_of_module(node, name):
        return True
    return isinstance(node, ir.Attribute) and text(node.value) == name and not _has_tensor(node.name)


def _is_call_of_other_method(node: Node, name: str) -> bool:
    """`x.max_filled()`. What a program hangs onto a tensor itself are values: `x.scale`."""
    return isinstance(node, ir.Call) and is_use_of_other_object(node.function, name)


def _has_tensor(attribute: str) -> bool:
    known = attribute in _OF_TENSORS or attribute in _SHARED or attribute in tensor_only_attributes()
    return known or find(f"torch.Tensor.{attribute}") is not None


_SHARED = MOVERS | frozenset(
    {"device", "dtype", "data", "grad", "T", "mT", "H", "mH",
     "is_cuda", "is_meta", "is_sparse", "requires_grad", "is_leaf", "layout", "half", "float", "double",
     "numpy", "item", "tolist", "stride", "nbytes", "itemsize", "element_size", "is_contiguous", "names",
     "backward", "nelement", "untyped_storage", "storage", "data_ptr", "is_floating_point", "is_complex"}
)  # fmt: skip
"""What tensors have that is no row of the table."""


def _is_use_of_tensor(node: Node, name: str, resolve: Callable[[str], str]) -> bool:
    match node:
        case ir.Attribute(value=value, name=attribute):
            return (attribute in _OF_TENSORS or attribute in tensor_only_attributes()) and text(value) == name
        case ir.Binary(left=left, right=right):
            return name in (text(left), text(right))
        case ir.Unary(operator="invert" | "neg", operand=operand):
            return text(operand) == name
        case ir.Compare(left=left, rest=rest) if any(operator in _COMPARISONS for operator, _ in rest):
            return name in (text(left), *(text(each) for _, each in rest))
        case ir.Subscript(value=value, indices=indices) if text(value) == name:
            return len(indices) > 1 or isinstance(indices[0], ir.Slice | ir.Dots)
        case ir.Call():
            return _is_given_to_operator(node, name, resolve)
        case _:
            return False


def _is_given_to_operator(call: ir.Call, name: str, resolve: Callable[[str], str]) -> bool:
    """`torch.gather(x, 1, index)`, `torch.cat((x, y))`, `isinstance(x, torch.Tensor)`."""
    function = path(call.function)
    given = [argument.value for argument in call.arguments if not argument.stars]
    if function == "isinstance" and len(given) == 2:
        return text(given[0]) == name and resolve(path(given[1])) == "torch.Tensor"
    operator = find(resolve(function)) if function else None
    if operator is None or operator.rule is DeviceRule.FACTORY or operator.name in TAKE_ANYTHING:
        return False
    taken = [value.elements if isinstance(value, ir.Sequence) else (value,) for value in given]
    tensors = sum(each.kind in (ArgumentKind.TENSOR, ArgumentKind.TENSORS) for each in operator.arguments)
    return any(text(each) == name for values in taken[:tensors] for each in values)
