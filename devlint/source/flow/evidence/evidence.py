"""What the uses of a parameter show about it. A name alone proves nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from devlint.model import Kind
from devlint.operators import Argument, ArgumentKind, DeviceRule, Operator, find, tensor_only_attributes
from devlint.source import ir
from devlint.source.flow.evidence.stated import stated_kind
from devlint.source.flow.syntax.movers import UPLOADERS
from devlint.source.walk import SCOPES, Node, bound_names, names_assigned_by, names_bound_once, path, walk

MODULE_ATTRIBUTES = frozenset(
    {"parameters", "named_parameters", "state_dict", "load_state_dict", "named_modules", "modules",
     "zero_grad", "train", "eval", "children", "named_children", "buffers", "register_buffer"}
)  # fmt: skip
"""Methods that modules have and tensors have not."""
OPTIMIZER_ATTRIBUTES = frozenset({"step", "param_groups"})
SHARED_ATTRIBUTES = frozenset(
    {"shape", "size", "dim", "ndim", "device", "dtype", "sum", "mean", "any", "all", "item", "to"}
)
"""What tensors share with arrays and others. In a module's forward, what has them is a tensor."""
TAKE_ANYTHING = frozenset({"torch.as_tensor", "torch.asarray", "torch.is_tensor", "torch.numel"})
"""Calls that say nothing of what they are given."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a function before it is interpreted."""

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """Parameters whose kind an annotation or a use shows."""
    rebound: frozenset[str] = frozenset()
    """Names and paths that the function binds or changes."""
    bound_once: frozenset[str] = frozenset()
    """Names that one statement outside of loops binds."""
    with_dimensions: frozenset[str] = frozenset()
    """Parameters that are no 0-dim tensors, if they are tensors."""
    on_host: frozenset[str] = frozenset()
    """Parameters that are given to what takes host tensors only: the lengths of `pack_padded_sequence`."""
    located: frozenset[str] = frozenset()
    """Parameters whose device the function asks for: it is written for any."""
    names_device: bool = False
    """Whether a device is named anywhere in it."""
    moves: bool = False
    """Whether it moves something, by `.to()` or `.cuda()`."""
    dtypes: frozenset[str] = frozenset()
    """Names that some call takes for a dtype."""
    exports: bool = False
    """Whether it hands a module to `torch.onnx.export`."""
    answers: bool = False
    """Whether it gives its caller anything back."""
    body: ir.Block = ()
    """What the function does."""
    nodes: Sequence[Node] = ()
    """All that it consists of, inner functions included."""


def gather(
    function: ir.Function,
    resolve: Callable[[str], str],
    is_own_class: Callable[[str], bool],
    *,
    inputs_are_tensors: bool = False,
) -> Evidence:
    """Look once over a function.

    `resolve` gives the canonical name of a dotted path, or an empty string; `is_own_class` says whether it
    leads to a class of the project. `inputs_are_tensors` is set for the forward of a module: what is given to
    a layer there is a tensor.
    """
    uses = _Uses({parameter.name for parameter in function.parameters}, resolve, inputs_are_tensors)
    nodes = list(walk(function.body, into_scopes=True))
    uses.keyed = frozenset(_keyed(nodes))
    ends = sorted(_positions_of_rebinding(nodes, uses.names).items(), key=lambda end: -end[1])
    for position, node in enumerate(nodes):
        while ends and ends[-1][1] < position:
            uses.names.discard(ends.pop()[0])
        see = _SEEING.get(type(node))
        if see is not None:
            see(uses, node)
    kinds = {name: kind for name, kind in uses.kinds.items() if name not in uses.tested}
    stated = {p.name: stated_kind(p, resolve, is_own_class) for p in function.parameters}
    kinds.update({name: kind for name, kind in stated.items() if kind is not None})
    return Evidence(
        kinds,
        _assigned(function.body, nodes),
        names_bound_once(nodes).difference(stated),
        frozenset(uses.with_dimensions),
        frozenset(uses.on_host),
        frozenset(uses.located),
        uses.names_device or any(name.endswith("device") for name in stated),
        uses.moves,
        frozenset(uses.dtypes),
        uses.exports,
        uses.answers,
        function.body,
        nodes,
    )


def _keyed(nodes: Iterable[Node]) -> Iterator[str]:
    """`cache` of `cache["key"]`."""
    for node in nodes:
        if isinstance(node, ir.Subscript) and isinstance(node.value, ir.Name):
            index = node.indices[0]
            if isinstance(index, ir.Constant) and isinstance(index.value, str):
                yield node.value.name


def _assigned(body: ir.Block, nodes: Sequence[Node]) -> frozenset[str]:
    """What a function binds or changes itself, of which it consists of these nodes."""
    has_inner = any(type(node) in SCOPES for node in nodes)
    return names_assigned_by(walk(body) if has_inner else nodes)


class _Uses:
    """What the uses of a function's parameters have shown so far."""

    def __init__(self, names: set[str], resolve: Callable[[str], str], inputs_are_tensors: bool) -> None:
        self.names = names
        self._parameters = frozenset(names)
        self.keyed: frozenset[str] = frozenset()
        """Parameters that are asked for what they have under a text."""
        self.kinds: dict[str, Kind] = {}
        self.tested: set[str] = set()
        """Parameters whose type the function asks for, so that nothing can be concluded from one use."""
        self.with_dimensions: set[str] = set()
        self.on_host: set[str] = set()
        self.located: set[str] = set()
        self.names_device = False
        self.moves = False
        self.dtypes: set[str] = set()
        self.exports = False
        self.answers = False
        self._resolve = resolve
        self._inputs_are_tensors = inputs_are_tensors

    def parameter_in(self, expression: ir.Expression) -> str:
        """The parameter that an expression is, or is a part of by index; else an empty string."""
        while isinstance(expression, ir.Subscript):
            expression = expression.value
        return expression.name if isinstance(expression, ir.Name) and expression.name in self.names else ""

    def note(self, name: str, kind: Kind | None) -> None:
        """Two uses that show different kinds show nothing. A tensor under a key shows a mapping."""
        if kind is Kind.TENSOR and name in self.keyed:
            kind = Kind.CONTAINER
        if name and kind is not None:
            self.kinds[name] = kind if self.kinds.get(name, kind) is kind else Kind.UNKNOWN

    def see_attribute(self, node: ir.Attribute) -> None:
        """`x.unsqueeze`, `model.parameters`."""
        whole = isinstance(node.value, ir.Name)
        self.names_device |= node.name.endswith("device")
        if node.name == "device" and isinstance(node.value, ir.Name) and node.value.name in self._parameters:
            self.located.add(node.value.name)
        name = self.parameter_in(node.value)
        if not name:
            return
        kind = _attribute_kind(node.name)
        if kind is Kind.TENSOR or (whole and kind is not None):
            self.note(name, kind)
        elif self._inputs_are_tensors and node.name in SHARED_ATTRIBUTES:
            self.note(name, Kind.TENSOR)

    def see_subscript(self, node: ir.Subscript) -> None:
        """`x.shape[0]`: what has a length in some dimension has dimensions."""
        if isinstance(node.value, ir.Attribute) and node.value.name == "shape":
            self.with_dimensions.add(self.parameter_in(node.value.value))

    def see_return(self, node: ir.Return) -> None:
        """`return x`; `return None` gives nothing back."""
        nothing = node.value is None or (isinstance(node.value, ir.Constant) and node.value.value is None)
        self.answers |= not nothing

    def see_yield(self, _: ir.Yield) -> None:
        """`yield x`."""
        self.answers = True

    def see_unary(self, node: ir.Unary) -> None:
        """`~x`."""
        if node.operator == "invert":
            self.note(self.parameter_in(node.operand), Kind.TENSOR)

    def see_call(self, call: ir.Call) -> None:
        """Calls that take a tensor, a device, or anything at all."""
        function = path(call.function)
        if function in {"isinstance", "hasattr", "type", "callable"}:
            self.tested.update(self._given(call.arguments))
            return
        if isinstance(call.function, ir.Attribute):
            if call.function.name == "size" and call.arguments:
                self.with_dimensions.add(self.parameter_in(call.function.value))
            self.moves |= call.function.name in UPLOADERS
        for argument in call.arguments:
            if argument.keyword == "device" and isinstance(argument.value, ir.Name):
                self.note(self.parameter_in(argument.value), Kind.DEVICE)
            elif argument.keyword == "dtype" and isinstance(argument.value, ir.Name):
                self.dtypes.add(argument.value.name)
        if self._inputs_are_tensors and function.startswith("self.") and function.count(".") == 1:
            for name in self._given(call.arguments[:1]):
                self.kinds.setdefault(name, Kind.TENSOR)
        canonical = self._resolve(function) if function else ""
        self.exports |= canonical == "torch.onnx.export"
        operator = find(canonical) if canonical else None
        if (
            operator is not None
            and operator.rule is not DeviceRule.FACTORY
            and operator.name not in TAKE_ANYTHING
        ):
            self._see_operator(operator, call)

    def _given(self, arguments: Iterable[ir.Argument]) -> list[str]:
        whole = (a.value.name for a in arguments if isinstance(a.value, ir.Name) and not a.stars)
        return [name for name in whole if name in self.names]

    def _see_operator(self, operator: Operator, call: ir.Call) -> None:
        """`torch.relu(x)`. Behind the first, many operators take a number in place of a tensor; losses do
        not."""
        takes_tensors_only = operator.name.startswith("torch.nn.functional.")
        for position, argument in enumerate(call.arguments):
            declared = _declared(operator, argument, position)
            if (
                declared is not None
                and declared.kind is ArgumentKind.TENSORS
                and isinstance(argument.value, ir.Sequence)
            ):
                for element in argument.value.elements:
                    self.note(self.parameter_in(element), Kind.TENSOR)
            name = self.parameter_in(argument.value) if not argument.stars else ""
            if declared is None or not name:
                continue
            if declared.host:
                self.on_host.add(name)
            if declared.kind is ArgumentKind.TENSORS and isinstance(argument.value, ir.Name):
                self.note(name, Kind.CONTAINER)
            elif declared.kind is ArgumentKind.TENSOR and (position == 0 or takes_tensors_only):
                self.note(name, Kind.TENSOR)


_SEEING: dict[type, Callable[[_Uses, Any], None]] = {
    ir.Attribute: _Uses.see_attribute,
    ir.Call: _Uses.see_call,
    ir.Return: _Uses.see_return,
    ir.Yield: _Uses.see_yield,
    ir.Subscript: _Uses.see_subscript,
    ir.Unary: _Uses.see_unary,
}
"""What the uses of parameters are looked for in."""


def _declared(operator: Operator, argument: ir.Argument, position: int) -> Argument | None:
    if argument.keyword:
        return operator.named(argument.keyword)
    return operator.positional[position] if position < len(operator.positional) else None


def _compared_with_none(node: ir.Compare) -> tuple[str, ...]:
    match node:
        case ir.Compare(left=ir.Name(name=name), rest=((("is" | "is_not"), ir.Constant(value=None)),)):
            return (name,)
        case _:
            return ()


_REBINDING = frozenset({ir.Assign, ir.For, ir.Compare})


def _positions_of_rebinding(nodes: Sequence[Node], names: set[str]) -> dict[str, int]:
    """Up to where, in the order of the walk, a use of a parameter is about what the caller gave.

    A default for None (`if mask is None: mask = ...`) leaves the other case as it was.
    """
    until: dict[str, int] = {}
    defaulted: set[str] = set()
    for position, node in enumerate(nodes):
        if type(node) not in _REBINDING:
            continue
        if isinstance(node, ir.Compare):
            defaulted.update(_compared_with_none(node))
            continue
        if isinstance(node, ir.Assign):
            targets, value = node.targets, node.value
        else:
            assert isinstance(node, ir.For)
            targets, value = (node.target,), node.iterable
        for name in names.intersection(bound_names(targets)):
            until.setdefault(name, position + 1 + sum(1 for _ in walk([value])))
    return {name: position for name, position in until.items() if name not in defaulted}


def _attribute_kind(attribute: str) -> Kind | None:
    if attribute in MODULE_ATTRIBUTES:
        return Kind.MODULE
    if attribute in OPTIMIZER_ATTRIBUTES:
        return Kind.OPTIMIZER
    if attribute in tensor_only_attributes():
        return Kind.TENSOR
    return None
