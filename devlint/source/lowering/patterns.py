"""Lowering of the patterns of a `match` statement: one function for each LibCST node type, selected by
`type(node)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from devlint.source import ir
from devlint.source.lowering.expressions import lower_expression
from devlint.source.lowering.numbering import Nodes, UnknownSyntaxError


def lower_pattern(node: cst.CSTNode, nodes: Nodes) -> ir.Pattern:
    """The lowered pattern; the nodes of its expressions are numbered in `nodes`."""
    return PATTERNS[type(node)](node, nodes)


def bound_names(pattern: ir.Pattern) -> tuple[str, ...]:
    """The names that a pattern binds, each once, in the order of the text."""
    names: dict[str, None] = {}
    _collect(pattern, names)
    names.pop("", None)
    return tuple(names)


def _collect(pattern: ir.Pattern, names: dict[str, None]) -> None:
    match pattern:
        case ir.CapturePattern(pattern=inner, name=name):
            if inner is not None:
                _collect(inner, names)
            names[name] = None
        case ir.RestPattern(name=name):
            names[name] = None
        case ir.SequencePattern(elements=inside) | ir.AlternativePattern(alternatives=inside):
            for each in inside:
                _collect(each, names)
        case ir.MappingPattern(items=items, rest=rest):
            for _, each in items:
                _collect(each, names)
            names[rest] = None
        case ir.ClassPattern(arguments=arguments):
            for _, each in arguments:
                _collect(each, names)


def _value(node: cst.MatchValue | cst.MatchSingleton, nodes: Nodes) -> ir.ValuePattern:
    return ir.ValuePattern(lower_expression(node.value, nodes))


def _capture(node: cst.MatchAs, nodes: Nodes) -> ir.CapturePattern:
    inner = None if node.pattern is None else lower_pattern(node.pattern, nodes)
    return ir.CapturePattern(inner, "" if node.name is None else node.name.value)


def _rest(node: cst.MatchStar, _nodes: Nodes) -> ir.RestPattern:
    return ir.RestPattern("" if node.name is None else node.name.value)


def _sequence(node: cst.MatchSequence, nodes: Nodes) -> ir.SequencePattern:
    return ir.SequencePattern(tuple([lower_pattern(element, nodes) for element in node.patterns]))


def _element(node: cst.MatchSequenceElement, nodes: Nodes) -> ir.Pattern:
    return lower_pattern(node.value, nodes)


def _mapping(node: cst.MatchMapping, nodes: Nodes) -> ir.MappingPattern:
    items = [
        (lower_expression(item.key, nodes), lower_pattern(item.pattern, nodes)) for item in node.elements
    ]
    return ir.MappingPattern(tuple(items), "" if node.rest is None else node.rest.value)


def _class(node: cst.MatchClass, nodes: Nodes) -> ir.ClassPattern:
    kind = lower_expression(node.cls, nodes)
    arguments = [("", lower_pattern(element, nodes)) for element in node.patterns]
    arguments += [(keyword.key.value, lower_pattern(keyword.pattern, nodes)) for keyword in node.kwds]
    return ir.ClassPattern(kind, tuple(arguments))


def _alternative(node: cst.MatchOr, nodes: Nodes) -> ir.AlternativePattern:
    return ir.AlternativePattern(tuple([lower_pattern(each.pattern, nodes) for each in node.patterns]))


class _Table(dict[type, Callable[[Any, Nodes], ir.Pattern]]):
    def __missing__(self, kind: type) -> Callable[[Any, Nodes], ir.Pattern]:
        def refuse(node: cst.CSTNode, _: Nodes) -> ir.Pattern:
            raise UnknownSyntaxError(node, f"no meaning is known for {kind.__name__}")

        return refuse


PATTERNS = _Table({
    cst.MatchValue: _value,
    cst.MatchSingleton: _value,
    cst.MatchAs: _capture,
    cst.MatchStar: _rest,
    cst.MatchList: _sequence,
    cst.MatchTuple: _sequence,
    cst.MatchSequenceElement: _element,
    cst.MatchMapping: _mapping,
    cst.MatchClass: _class,
    cst.MatchOr: _alternative,
})  # fmt: skip
