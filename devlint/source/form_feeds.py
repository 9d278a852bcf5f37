"""Form feeds at the start of lines, which LibCST's tokenizer counts as indentation."""

from __future__ import annotations

import io
import re
import tokenize

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_BEFORE = re.compile(r"[ \t\f]*\f")
"""Python counts the columns of the indentation from 0 after a form feed."""


def without_form_feeds(source: str) -> str:
    """Remove the characters of each line up to the last form feed before its code.

    Strings do not change, nor does a text that the standard library's tokenizer rejects.
    """
    try:
        inside = _lines_in_tokens(source)
    except (tokenize.TokenError, SyntaxError):
        return source
    lines = (found[0] for found in _LINE.finditer(source))
    return "".join(
        line if number in inside else line[_feeds(line) :] for number, line in enumerate(lines, start=1)
    )


def _feeds(line: str) -> int:
    """The number of characters that have no meaning because a form feed follows them or is one of them."""
    found = _BEFORE.match(line)
    return 0 if found is None else found.end()


def _lines_in_tokens(source: str) -> set[int]:
    """The lines that start inside of a token, which is a string."""
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source, newline=None).readline):
        if token.type not in (tokenize.INDENT, tokenize.DEDENT):
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
    return inside
