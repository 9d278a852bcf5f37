"""What the code of a function refers to: names, attributes, and whether it names a device."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import NamedTuple

from devlint.source import ir
from devlint.source.machine.heap.files import Function
from devlint.source.machine.library.places import names_place
from devlint.source.walk import Node, once_a_node, walk

_DYNAMIC = frozenset({"__import__", "eval", "exec", "getattr", "globals", "import_module", "locals", "vars"})
"""Functions by which code reaches what it does not name."""


class Use(NamedTuple):
    """A use of a name: `torch.zeros(3, device=device)` uses `torch`."""

    name: str
    attributes: tuple[str, ...]
    is_called: bool
    has_device: bool
    """Whether it is called with the device of something, or with one that the function is given."""


class References(NamedTuple):
    """What a function refers to."""

    uses: frozenset[Use]
    attributes: frozenset[str]
    is_opaque: bool
    """Whether it names a place, or may reach what it does not name."""


def users_first(functions: Sequence[Function]) -> list[Function]:
    """Functions of a file, each before those that it refers to, and later ones first where that leaves a
    choice."""
    return _ordered(functions, lambda each: {used.name for used in references(each.node).uses})


def callers_first(methods: Sequence[Function]) -> list[Function]:
    """Methods of a class, each before those that it calls of its own object, and earlier ones first where
    that leaves a choice."""
    return _ordered(methods[::-1], lambda each: calls_of_object(each.node))


def _ordered(functions: Sequence[Function], used_by: Callable[[Function], Set[str]]) -> list[Function]:
    """Functions in the reverse order, each before those that it uses."""
    named = {each.name: (at, each) for at, each in enumerate(functions)}
    met: set[Function] = set()
    ordered: list[Function] = []

    def visit(function: Function) -> None:
        if function in met:
            return
        met.add(function)
        for _, each in sorted((named[name] for name in used_by(function) & named.keys()), key=_position):
            visit(each)
        ordered.append(function)

    for each in functions:
        visit(each)
    return ordered[::-1]


def _position(entry: tuple[int, Function]) -> int:
    return entry[0]


@once_a_node
def calls_of_object(node: ir.FunctionDef | ir.Lambda) -> frozenset[str]:
    """The methods that a method calls on its own object: `self.log_prob(z)`."""
    receiver = node.parameters[0].name if node.parameters else ""
    return frozenset(
        each.function.name
        for each in walk((node,), into_scopes=True)
        if isinstance(each, ir.CallExpression)
        and isinstance(each.function, ir.Attribute)
        and isinstance(each.function.value, ir.Name)
        and each.function.value.name == receiver
    )


@once_a_node
def references(node: ir.FunctionDef | ir.Lambda) -> References:
    """What the code of a function refers to."""
    body = node.body if isinstance(node.body, tuple) else (node.body,)
    given = frozenset(each.name for each in node.parameters if each.default is None and not each.stars)
    nodes = list(walk(body, into_scopes=True))
    ignored = {id(each) for root in _asked_only(nodes) for each in walk((root,))}
    uses: set[Use] = set()
    attributes: set[str] = set()
    opaque = False
    for each in nodes:
        if id(each) in ignored:
            continue
        match each:
            case ir.CallExpression(function=callee, arguments=passed):
                devices = [argument.value for argument in passed if argument.keyword == "device"]
                has_device = any(_is_given(device, given) for device in devices)
                opaque = opaque or any(map(_is_none, devices))
                _add_use(callee, uses, ignored, is_called=True, has_device=has_device)
            case ir.Constant(value=constant):
                opaque = opaque or names_place(constant)
            case ir.Format(parts=parts):
                opaque = opaque or any(names_place(part) for part in parts if isinstance(part, str))
            case ir.Import():
                opaque = True
            case ir.Name(name=name) if name in _DYNAMIC:
                opaque = True
            case _:
                pass
        if isinstance(each, (ir.Name, ir.Attribute)) and id(each) not in ignored:
            found = _add_use(each, uses, ignored)
            if not found and isinstance(each, ir.Attribute):
                attributes.add(each.name)
    return References(frozenset(uses), frozenset(attributes), opaque)


def _asked_only(nodes: list[Node]) -> Iterator[Node]:
    """The expressions that tests compare with, types that tests ask for, and annotations."""
    for each in nodes:
        match each:
            case ir.Compare(left=left, rest=rest):
                yield from filter(_is_constant, (left, *(right for _, right in rest)))
            case ir.CallExpression(function=ir.Name(name="isinstance" | "issubclass"), arguments=(_, asked)):
                yield asked.value
            case ir.Annotation(annotation=annotation):
                yield annotation
            case ir.Assign(annotation=annotation) | ir.Parameter(annotation=annotation):
                yield from () if annotation is None else (annotation,)
            case _:
                pass


def _is_given(device: ir.Expression, given: frozenset[str]) -> bool:
    """Whether a device is that of something, or a parameter without a default."""
    match device:
        case ir.Attribute(name="device"):
            return True
        case ir.Name(name=name):
            return name in given
        case _:
            return False


def _is_none(device: ir.Expression) -> bool:
    return isinstance(device, ir.Constant) and device.value is None


def _is_constant(compared: ir.Expression) -> bool:
    parts = compared.elements if isinstance(compared, ir.Sequence) else (compared,)
    return all(isinstance(each, ir.Constant) for each in parts)


def _add_use(
    expression: ir.Expression,
    uses: set[Use],
    done: set[int],
    *,
    is_called: bool = False,
    has_device: bool = False,
) -> bool:
    """Add the use of a name, if an expression is one. The parts of `a.b.c` are no uses of their own."""
    attributes: list[str] = []
    parts = [id(expression)]
    while isinstance(expression, ir.Attribute):
        attributes.append(expression.name)
        expression = expression.value
        parts.append(id(expression))
    if not isinstance(expression, ir.Name):
        return False
    uses.add(Use(expression.name, tuple(reversed(attributes)), is_called, has_device))
    done.update(parts)
    return True
