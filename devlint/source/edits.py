"""From an edit request of a rule to an edit of the text.

Positions come from a `NodeLayout` (see `positions.layout`), so this module does not depend on LibCST.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple, Protocol

from devlint.model import Action, Edit, EditRequest, SiteId
from devlint.model.syntax import expression_tree

_NEW_LINE = re.compile(r"(?:\r\n?|\n)([ \t\f]*)\Z")
_KEYWORD = re.compile(r"(\w+)\s*=(?!=)")
_TRAILERS = (".", "[", "(")
_LITERAL = re.compile(
    r"#[^\n]*|(?P<quote>\"\"\"|'''|\"|')(?:\\.|(?!(?P=quote))[^\\])*(?:(?P=quote)|\\?\Z)", re.DOTALL
)
"""A comment or a string, from its first quote to its last."""


class Extent(NamedTuple):
    """A range of characters of the text."""

    start: int
    end: int


class NodeExtents(NamedTuple):
    """The extents of a node, without whitespace around it."""

    inner: Extent
    """Without the node's parentheses."""
    outer: Extent
    """With the node's parentheses."""


class CallArgument(NamedTuple):
    """One argument of a call."""

    extent: Extent
    """With its keyword or stars, and without its comma."""
    keyword: str
    """Empty for a positional argument."""
    bare_generator: bool = False
    """Whether it uses the parentheses of the call: `f(x for x in y)`."""


class CallParts(NamedTuple):
    """The positions of the parts of a call."""

    function_end: int
    """The end of the called expression, with its parentheses."""
    receiver_end: int | None
    """The end of the receiver of a method call, with its parentheses; None for other calls."""
    arguments: tuple[CallArgument, ...]
    end: int
    """The end of the closing parenthesis."""


class NodeLayout(Protocol):
    """The positions of nodes, by their numbers."""

    def place(self, site: SiteId, /) -> NodeExtents:
        """The extents of a node."""
        ...

    def binds_looser(self, site: SiteId, /) -> bool:
        """Whether a method call after the node would apply to a part of it only: `a + b` and `.cpu()`."""
        ...

    def call(self, site: SiteId, /) -> CallParts | None:
        """The parts of a call; None for other nodes."""
        ...


def work_out(request: EditRequest, layout: NodeLayout, text: str) -> Edit | None:
    """The edit for a request, with `\n` for each newline in its content; None if it is impossible.

    It is impossible to add an argument to a call with a lone generator expression (`f(x for x in y)`) or with
    an argument of the same keyword, to replace the receiver of a call that has none, and to remove a comment.
    """
    content = _in_quotes_of(text, layout.place(request.site).inner.start, request.text)
    if request.quoted is not None:
        content = content.replace("{}", _quoted(layout.place(request.quoted).outer, text))
    match request.action:
        case Action.REPLACE:
            return Edit(*layout.place(request.site).inner, content)
        case Action.INSERT_BEFORE:
            start = layout.place(request.site).outer.start
            return Edit(start, start, content)
        case Action.INSERT_AFTER:
            return _insert_after(request.site, content, layout, text)
        case Action.APPEND_ARGUMENT:
            call = layout.call(request.site)
            return _append_argument(call, content, text) if call else None
        case Action.KEEP_RECEIVER:
            call = layout.call(request.site)
            return _keep_receiver(call, text) if call else None


def _in_quotes_of(text: str, at: int, content: str) -> str:
    """Use the quotes that the file prefers; inside of an f-string those that do not end it, as before Python
    3.12."""
    if '"' not in content or "'" in content:
        return content
    around = _literals(text)
    within = next((found for found in around if found.start() < at < found.end()), None)
    if within is not None:
        quote = "'" if within["quote"][0] == '"' else '"'
    else:
        short = [found["quote"] for found in around]
        quote = "'" if short.count("'") > short.count('"') else '"'
    return content.replace('"', quote)


@lru_cache(maxsize=1)
def _literals(text: str) -> list[re.Match[str]]:
    """The strings of a text; cached, because every finding of the text needs them."""
    return [found for found in _LITERAL.finditer(text) if found["quote"]]


def _insert_after(site: SiteId, content: str, layout: NodeLayout, text: str) -> Edit:
    start, end = layout.place(site).outer
    if content.startswith(_TRAILERS) and layout.binds_looser(site):
        return Edit(start, end, f"({_unified(text[start:end])}){content}")
    return Edit(end, end, content)


def _append_argument(call: CallParts, content: str, text: str) -> Edit | None:
    keyword = _KEYWORD.match(content)
    for argument in call.arguments:
        if argument.bare_generator or (keyword and argument.keyword == keyword[1]):
            return None
    if not call.arguments:
        before_parenthesis = call.end - 1
        return Edit(before_parenthesis, before_parenthesis, content)
    last = call.arguments[-1].extent
    before = call.arguments[-2].extent.end if len(call.arguments) > 1 else call.function_end
    # If each argument is on its own line, the new one gets its own line, too.
    line = _NEW_LINE.search(text, before, last.start)
    separator = ", " if line is None else f",\n{line[1]}"
    return Edit(last.end, last.end, separator + content)


def _keep_receiver(call: CallParts, text: str) -> Edit | None:
    if call.receiver_end is None or "#" in text[call.receiver_end : call.end]:
        return None
    return Edit(call.receiver_end, call.end, "")


def _quoted(extent: Extent, text: str) -> str:
    """The source of an expression, in parentheses if it needs them."""
    source = _unified(text[extent.start : extent.end])
    return source if _stands_alone(source) else f"({source})"


def _stands_alone(source: str) -> bool:
    try:
        expression_tree(source)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def _unified(source: str) -> str:
    return source.replace("\r\n", "\n").replace("\r", "\n")
