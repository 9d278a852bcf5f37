"""What a function changes that others hold: parts of its arguments, and names of the function around it.

Its summary does not say what they are afterwards, so that nothing is known of them any more.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.source import ir
from devlint.source.walk import path, walk

_CHANGING = frozenset(
    {"append", "extend", "insert", "update", "setdefault", "pop", "popitem", "clear", "remove"}
)


def changed_parts(function: ir.Function) -> frozenset[str]:
    """The names of whose values a function sets items or attributes: `d[k] = v`, `setattr(p, "x", v)`."""
    return frozenset(_changed(function.body))


def rebound_outside(function: ir.Function) -> frozenset[str]:
    """The names of the function around it that a function binds anew."""
    outer = (node for node in walk(function.body) if isinstance(node, ir.Outer))
    return frozenset(name for node in outer if not node.is_global for name in node.names)


def changed_outside(function: ir.Function) -> frozenset[str]:
    """The names of what is around it of whose values a function sets items or attributes."""
    own = {parameter.name for parameter in function.parameters} | set(_bound(function.body))
    return changed_parts(function) - own


def set_on_others(body: ir.Block) -> frozenset[str]:
    """The names of the attributes that are set below a body on objects but `self`: `new.device = d`."""
    return frozenset(
        target.name
        for node in walk(body, into_scopes=True)
        if isinstance(node, ir.Assign)
        for target in node.targets
        if isinstance(target, ir.Attribute) and path(target.value) != "self"
    )


def _changed(body: ir.Block) -> Iterator[str]:
    for node in walk(body):
        match node:
            case ir.Assign(targets=targets):
                yield from _roots(targets)
            case ir.AugmentedAssign(target=target):
                yield from _roots((target,))
            case ir.Call(
                function=ir.Name(name="setattr"), arguments=(ir.Argument(value=ir.Name(name=name)), *_)
            ):
                yield name
            case ir.Call(function=ir.Attribute(value=ir.Name(name=name), name=method)) if method in _CHANGING:
                yield name


def _roots(targets: tuple[ir.Expression, ...]) -> Iterator[str]:
    """The names in whose values the targets lie that are no names themselves."""
    for target in targets:
        match target:
            case ir.Sequence(elements=elements):
                yield from _roots(elements)
            case ir.Attribute(value=owner) | ir.Subscript(value=owner):
                while isinstance(owner, ir.Attribute | ir.Subscript):
                    owner = owner.value
                if isinstance(owner, ir.Name):
                    yield owner.name


def _bound(body: ir.Block) -> Iterator[str]:
    """The names that are bound themselves."""
    for node in walk(body):
        match node:
            case ir.Assign(targets=targets):
                yield from (target.name for target in targets if isinstance(target, ir.Name))
            case ir.For(target=ir.Name(name=name)):
                yield name
