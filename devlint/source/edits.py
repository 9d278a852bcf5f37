"""Working out a change that a rule asks for, from the text and from where things stand in it.

Where they stand is for a `Layout` to say (`positions.layout`), so that nothing here depends on LibCST.
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
"""A comment, or the text of a string, from its first quote to its last."""


class Extent(NamedTuple):
    """From where to where something reaches, in characters from the beginning of the text."""

    start: int
    end: int


class NodeExtents(NamedTuple):
    """Where a node stands, without the space around it."""

    inner: Extent
    """Without its own parentheses."""
    outer: Extent
    """With them."""


class CallArgument(NamedTuple):
    """One argument of a call."""

    extent: Extent
    """With its keyword or stars, and without its comma."""
    keyword: str
    """Empty for one that has none."""
    bare_generator: bool = False
    """Whether it shares the call's parentheses: `f(x for x in y)`."""


class CallParts(NamedTuple):
    """What a call is written of."""

    function_end: int
    """Behind what is called, and its own parentheses."""
    receiver_end: int | None
    """Behind the object whose method is called, and its own parentheses; None for what is no method call."""
    arguments: tuple[CallArgument, ...]
    end: int
    """Behind the closing parenthesis."""


class NodeLayout(Protocol):
    """Where nodes stand, by their numbers."""

    def place(self, site: SiteId, /) -> NodeExtents:
        """Where a node stands."""
        ...

    def binds_looser(self, site: SiteId, /) -> bool:
        """Whether a trailer behind a node would go to a part of it only: `a + b` and `.cpu()`."""
        ...

    def call(self, site: SiteId, /) -> CallParts | None:
        """The parts of a call; None for a node that is none."""
        ...


def work_out(request: EditRequest, layout: NodeLayout, text: str) -> Edit | None:
    """The edit that a request comes to, with `\\n` for each newline in its content; None if there is none.

    There is none for an argument behind a lone generator expression (`f(x for x in y)`) or beside one of the
    same keyword, for a receiver of what is no method call, and where a comment would be lost.
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
    """A change with the quotes that the file prefers; inside an f-string, with those that do not end it, as
    they would before Python 3.12."""
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
    """The strings of a text, which every one of its findings asks for."""
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
    # One argument a line stays so: the new one goes onto a line of its own if the last one has.
    line = _NEW_LINE.search(text, before, last.start)
    separator = ", " if line is None else f",\n{line[1]}"
    return Edit(last.end, last.end, separator + content)


def _keep_receiver(call: CallParts, text: str) -> Edit | None:
    if call.receiver_end is None or "#" in text[call.receiver_end : call.end]:
        return None
    return Edit(call.receiver_end, call.end, "")


def _quoted(extent: Extent, text: str) -> str:
    """The source of an expression, in parentheses if it cannot stand alone."""
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
