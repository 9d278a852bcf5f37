"""Working out one requested change, with the source text and the spans of the nodes at hand."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Sequence

import libcst as cst

from devlint.model import Action, Edit, EditRequest
from devlint.source.positions.spans import Span

SpanOf = Callable[[cst.CSTNode], Span]

_NEW_LINE = re.compile(r"(?:\r\n?|\n)([ \t\f]*)\Z")
_KEYWORD = re.compile(r"(\w+)\s*=(?!=)")
_TRAILERS = (".", "[", "(")
_PRIMARIES = (
    cst.Name,
    cst.Attribute,
    cst.Call,
    cst.Subscript,
    cst.BaseString,
    cst.List,
    cst.Set,
    cst.Dict,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
    cst.Ellipsis,
)
"""Expressions that `.name`, `[...]` and `(...)` may follow as they stand."""


def anchors(request: EditRequest, nodes: Sequence[cst.CSTNode]) -> list[cst.CSTNode]:
    """The nodes whose spans a request needs."""
    node = nodes[request.site]
    wanted = [node]
    if request.quoted is not None:
        wanted.append(nodes[request.quoted])
    if isinstance(node, cst.Call):
        if request.action is Action.APPEND_ARGUMENT:
            wanted += (node.func, *node.args[-2:])
        elif request.action is Action.KEEP_RECEIVER and isinstance(node.func, cst.Attribute):
            wanted.append(node.func.value)
    return wanted


def work_out(request: EditRequest, nodes: Sequence[cst.CSTNode], text: str, span_of: SpanOf) -> Edit | None:
    """The edit that a request comes to, with `\\n` for each newline in its content; None if there is none.

    There is none for an argument behind a lone generator expression (`f(x for x in y)`) or beside one of the
    same keyword, for a receiver of what is no method call, and where a comment would be lost.
    """
    node = nodes[request.site]
    content = request.text
    if request.quoted is not None:
        content = content.replace("{}", _quoted(nodes[request.quoted], text, span_of))
    match request.action:
        case Action.REPLACE:
            span = span_of(node)
            return Edit(span.start, span.end, content)
        case Action.INSERT_BEFORE:
            start, _ = _extent(node, span_of)
            return Edit(start, start, content)
        case Action.INSERT_AFTER:
            return _insert_after(node, content, text, span_of)
        case Action.APPEND_ARGUMENT:
            return _append_argument(node, content, text, span_of) if isinstance(node, cst.Call) else None
        case Action.KEEP_RECEIVER:
            return _keep_receiver(node, text, span_of) if isinstance(node, cst.Call) else None


def _extent(node: cst.CSTNode, span_of: SpanOf) -> tuple[int, int]:
    """Where a node begins and ends, with its own parentheses and without space around it."""
    span = span_of(node)
    if isinstance(node, cst.BaseExpression) and not isinstance(node, cst.StarredElement):
        return span.outer_start, span.outer_end
    return span.start, span.end


def _insert_after(node: cst.CSTNode, content: str, text: str, span_of: SpanOf) -> Edit:
    start, end = _extent(node, span_of)
    if content.startswith(_TRAILERS) and _binds_looser(node):
        return Edit(start, end, f"({_unified(text[start:end])}){content}")
    return Edit(end, end, content)


def _binds_looser(node: cst.CSTNode) -> bool:
    """Whether a trailer behind an expression would go to a part of it only: `a + b` and `.cpu()`."""
    return isinstance(node, cst.BaseExpression) and not node.lpar and not isinstance(node, _PRIMARIES)


def _append_argument(call: cst.Call, content: str, text: str, span_of: SpanOf) -> Edit | None:
    keyword = _KEYWORD.match(content)
    for argument in call.args:
        if keyword and argument.keyword is not None and argument.keyword.value == keyword[1]:
            return None
        if isinstance(argument.value, cst.GeneratorExp) and not argument.value.lpar:
            return None
    if not call.args:
        before_parenthesis = span_of(call).end - 1
        return Edit(before_parenthesis, before_parenthesis, content)
    last = span_of(call.args[-1])
    before = span_of(call.args[-2]).end if len(call.args) > 1 else span_of(call.func).outer_end
    # One argument a line stays so: the new one goes onto a line of its own if the last one has.
    line = _NEW_LINE.search(text, before, last.start)
    separator = ", " if line is None else f",\n{line[1]}"
    return Edit(last.end, last.end, separator + content)


def _keep_receiver(call: cst.Call, text: str, span_of: SpanOf) -> Edit | None:
    if not isinstance(call.func, cst.Attribute):
        return None
    start, end = span_of(call.func.value).outer_end, span_of(call).end
    return None if "#" in text[start:end] else Edit(start, end, "")


def _quoted(node: cst.CSTNode, text: str, span_of: SpanOf) -> str:
    """The source of an expression, in parentheses if it cannot stand alone."""
    start, end = _extent(node, span_of)
    source = _unified(text[start:end])
    return source if _stands_alone(source) else f"({source})"


def _stands_alone(source: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(source, mode="eval")
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return False
    return True


def _unified(source: str) -> str:
    return source.replace("\r\n", "\n").replace("\r", "\n")
