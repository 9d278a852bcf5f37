"""What the uses of a parameter show about it. A name alone proves nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from devlint.model import Kind
from devlint.operators import ArgumentKind, DeviceRule, find, tensor_only_attributes
from devlint.source import ir
from devlint.source.walk import assigned_names, path, walk

MODULE_ATTRIBUTES = frozenset(
    {"parameters", "named_parameters", "state_dict", "load_state_dict", "named_modules", "modules", "zero_grad",
     "train", "eval", "children", "named_children", "buffers", "register_buffer"}
)  # fmt: skip
"""Methods that modules have and tensors have not."""
OPTIMIZER_ATTRIBUTES = frozenset({"step", "param_groups"})
SHARED_ATTRIBUTES = frozenset(
    {"shape", "size", "dim", "ndim", "device", "dtype", "sum", "mean", "any", "all", "item", "to"}
)
"""What tensors share with arrays and others. In a module's forward, what has them is a tensor."""
TAKE_ANYTHING = frozenset({"torch.as_tensor", "torch.asarray", "torch.is_tensor", "torch.numel"})
"""Calls that say nothing of what they are given."""
ANNOTATIONS = {
    "torch.Tensor": Kind.TENSOR,
    "torch.FloatTensor": Kind.TENSOR,
    "torch.LongTensor": Kind.TENSOR,
    "torch.BoolTensor": Kind.TENSOR,
    "torch.IntTensor": Kind.TENSOR,
    "torch.nn.Parameter": Kind.TENSOR,
    "torch.nn.Module": Kind.MODULE,
    "torch.nn.Sequential": Kind.MODULE,
    "torch.device": Kind.DEVICE,
    "torch.optim.Optimizer": Kind.OPTIMIZER,
    "torch.optim.optimizer.Optimizer": Kind.OPTIMIZER,
    "torch.utils.data.DataLoader": Kind.LOADER,
    "torch.Generator": Kind.GENERATOR,
    "int": Kind.SCALAR,
    "float": Kind.SCALAR,
    "bool": Kind.SCALAR,
    "str": Kind.SCALAR,
    "numpy.ndarray": Kind.ARRAY,
}
"""What an annotation says, by canonical name."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a function before it is interpreted."""

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """Parameters whose kind an annotation or a use shows."""
    rebound: frozenset[str] = frozenset()
    """Names and paths that the function binds or changes."""


CONTAINERS = frozenset(
    {
        "List",
        "Tuple",
        "Dict",
        "Sequence",
        "Iterable",
        "Mapping",
        "list",
        "dict",
        "tuple",
        "Iterator",
        "Collection",
    }
)
"""Annotations of what holds several values; for a mapping, the last one counts."""


def gather(
    function: ir.Function, resolve: Callable[[str], str], *, inputs_are_tensors: bool = False
) -> Evidence:
    """Look once over a function.

    `resolve` gives the canonical name of a dotted path, or an empty string. `inputs_are_tensors` is set for the
    forward of a module: what is given to a layer there is a tensor.
    """
    names = {parameter.name for parameter in function.parameters}
    kinds: dict[str, Kind] = {}
    tested: set[str] = set()
    until = _positions_of_rebinding(function, names)
    for position, node in enumerate(walk(function.body, into_scopes=True)):
        names = {name for name in names if until.get(name, position) >= position} if until else names
        match node:
            case ir.Attribute(value=ir.Name(name=name), name=attribute) if name in names and _attribute_kind(
                attribute
            ):
                _note(kinds, name, _attribute_kind(attribute))
            case ir.Attribute(
                value=ir.Name(name=name) | ir.Subscript(value=ir.Name(name=name)), name=attribute
            ) if name in names and inputs_are_tensors:
                _note(kinds, name, Kind.TENSOR if attribute in SHARED_ATTRIBUTES else None)
            case ir.Unary(operator="invert", operand=ir.Name(name=name)) if name in names:
                _note(kinds, name, Kind.TENSOR)
            case ir.Call():
                _look_at_call(node, names, kinds, tested, resolve, inputs_are_tensors)
            case _:
                pass
    for name in tested:
        kinds.pop(name, None)
    for parameter in function.parameters:
        kind = annotated_kind(parameter.annotation, resolve)
        if kind is not None:
            kinds[parameter.name] = kind
    return Evidence(kinds, assigned_names(function.body))


def _positions_of_rebinding(function: ir.Function, names: set[str]) -> dict[str, int]:
    """Up to where, in the order of the walk, a use of a parameter is about what the caller gave.

    A default for None (`if mask is None: mask = ...`) leaves the other case as it was.
    """
    until: dict[str, int] = {}
    defaulted: set[str] = set()
    for position, node in enumerate(walk(function.body, into_scopes=True)):
        match node:
            case ir.Compare(left=ir.Name(name=name), rest=((("is" | "is_not"), ir.Constant(value=None)),)):
                defaulted.add(name)
            case ir.Assign() | ir.For():
                bound = assigned_names(
                    [node]
                    if isinstance(node, ir.Assign)
                    else [ir.Assign(node.id, (node.target,), node.iterable)]
                )
                for name in bound & names:
                    until.setdefault(
                        name,
                        position
                        + sum(1 for _ in walk([node.value if isinstance(node, ir.Assign) else node.iterable]))
                        + 1,
                    )
            case _:
                pass
    return {name: position for name, position in until.items() if name not in defaulted}


def annotated_kind(annotation: ir.Expression | None, resolve: Callable[[str], str]) -> Kind | None:
    """The kind that an annotation states: `Tensor`, `Optional[Tensor]`, `Tensor | None`, `"Tensor"`."""
    match annotation:
        case ir.Name() | ir.Attribute():
            name = path(annotation)
            stated = resolve(name) or name
            other_class = (
                Kind.UNKNOWN if name[:1].isupper() and "Tensor" not in name and len(name) > 1 else None
            )
            return ANNOTATIONS.get(stated, other_class)
        case ir.Constant(value=str(text)):
            names = [part.strip() for part in text.removeprefix("Optional[").removesuffix("]").split("|")]
            known = [name for name in names if name != "None"]
            return ANNOTATIONS.get(resolve(known[0]) or known[0]) if len(known) == 1 else Kind.UNKNOWN
        case ir.Subscript(value=value, indices=(index,)) if path(value).rsplit(".", 1)[-1] == "Optional":
            return annotated_kind(index, resolve)
        case ir.Binary(operator="or", left=left, right=ir.Constant(value=None)):
            return annotated_kind(left, resolve)
        case ir.Binary(operator="or", left=ir.Constant(value=None), right=right):
            return annotated_kind(right, resolve)
        case ir.Subscript(value=value, indices=indices) if path(value).rsplit(".", 1)[-1] in CONTAINERS:
            held = annotated_kind(
                indices[-1 if len(indices) == 2 and not isinstance(indices[1], ir.Dots) else 0], resolve
            )
            return Kind.CONTAINER if held is Kind.TENSOR else Kind.UNKNOWN
        case _:
            return Kind.UNKNOWN if annotation is not None and _is_union(annotation) else None


def _is_union(annotation: ir.Expression) -> bool:
    """A union of several kinds: nothing that the uses suggest can be relied on."""
    match annotation:
        case ir.Binary(operator="or"):
            return True
        case ir.Subscript(value=value):
            return path(value).rsplit(".", 1)[-1] == "Union"
        case _:
            return False


def _note(kinds: dict[str, Kind], name: str, kind: Kind | None) -> None:
    """Two uses that show different kinds show nothing."""
    if kind is None:
        return
    kinds[name] = kind if kinds.get(name, kind) is kind else Kind.UNKNOWN


def _attribute_kind(attribute: str) -> Kind | None:
    if attribute in MODULE_ATTRIBUTES:
        return Kind.MODULE
    if attribute in OPTIMIZER_ATTRIBUTES:
        return Kind.OPTIMIZER
    if attribute in tensor_only_attributes():
        return Kind.TENSOR
    return None


def _look_at_call(
    call: ir.Call,
    names: set[str],
    kinds: dict[str, Kind],
    tested: set[str],
    resolve: Callable[[str], str],
    inputs_are_tensors: bool,
) -> None:
    function = path(call.function)
    if function in {"isinstance", "hasattr", "type", "callable"}:
        tested.update(_plain_names(call.arguments, names))
        return
    for argument in call.arguments:
        if (
            argument.keyword == "device"
            and isinstance(argument.value, ir.Name)
            and argument.value.name in names
        ):
            _note(kinds, argument.value.name, Kind.DEVICE)
    if not function:
        return
    if inputs_are_tensors and function.startswith("self.") and function.count(".") == 1:
        for name in _plain_names(call.arguments[:1], names):
            kinds.setdefault(name, Kind.TENSOR)
    operator = find(resolve(function))
    if operator is None or operator.rule is DeviceRule.FACTORY or operator.name in TAKE_ANYTHING:
        return
    for position, argument in enumerate(call.arguments):
        if argument.stars or not isinstance(argument.value, ir.Name) or argument.value.name not in names:
            continue
        declared = (
            next((a for a in operator.arguments if a.name == argument.keyword), None)
            if argument.keyword
            else (operator.arguments[position] if position < len(operator.arguments) else None)
        )
        # Behind the first, many operators take a number in place of a tensor; losses and layers do not.
        if declared is not None and declared.kind is ArgumentKind.TENSORS:
            _note(kinds, argument.value.name, Kind.CONTAINER)
        certain = position == 0 or operator.name.startswith("torch.nn.functional.")
        if declared is not None and declared.kind is ArgumentKind.TENSOR and certain:
            _note(kinds, argument.value.name, Kind.TENSOR)


def _plain_names(arguments: Iterable[ir.Argument], names: set[str]) -> list[str]:
    return [
        argument.value.name
        for argument in arguments
        if isinstance(argument.value, ir.Name) and argument.value.name in names and not argument.stars
    ]
