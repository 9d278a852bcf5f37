"""Parentheses around expressions, which `ast` leaves out: found in the text between its nodes.

That text holds no strings, so that a `#` in it begins a comment.
"""

from __future__ import annotations

import re

from devlint.source.from_ast.source import Undecided

_NO_TOKEN = re.compile(r"(?:[ \t\f\r\n\\]|#[^\r\n]*)*")
_TOKEN = re.compile(r"#[^\r\n]*|[^ \t\f\r\n\\]")
_QUOTES = ("'", '"')


def opening(text: str, start: int, end: int) -> list[int]:
    """Where the parentheses begin that open directly before `end`, the outermost first.

    Raises:
        Undecided: there is a string between `start` and `end`.
    """
    between = text[start:end]
    if any(quote in between for quote in _QUOTES):
        raise Undecided
    found: list[int] = []
    for token in _TOKEN.finditer(between):
        if token[0] == "(":
            found.append(start + token.start())
        elif not token[0].startswith("#"):
            found.clear()
    return found


def closing(text: str, start: int, end: int) -> list[int]:
    """Where the parentheses end that close directly behind `start` and before `end`, the innermost first."""
    found: list[int] = []
    at = next_token(text, start, end)
    while text.startswith(")", at, end):
        found.append(at + 1)
        at = next_token(text, at + 1, end)
    return found


def next_token(text: str, start: int, end: int) -> int:
    """Where the next token begins, behind space and comments; `end` if there is none before it."""
    space = _NO_TOKEN.match(text, start, end)
    return end if space is None else space.end()
