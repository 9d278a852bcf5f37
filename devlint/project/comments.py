"""The comments and logical lines of Python source text."""

from __future__ import annotations

import tokenize
from dataclasses import dataclass, field

from devlint.model.lines import Lines

_LAYOUT = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER})


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, from its `#` to the end of its line."""

    line: int
    start: int
    text: str
    alone: bool
    """Whether it is alone on its line."""


@dataclass(slots=True)
class CommentLayout:
    """The positions of comments and logical lines in a text.

    A logical line is a simple statement, or the header of a compound one, over any number of lines.
    """

    comments: list[Comment] = field(default_factory=list)
    logical: dict[int, tuple[int, int]] = field(default_factory=dict)
    """For each line its logical line's first and last line."""
    open: set[int] = field(default_factory=set)
    """Lines that cannot have a comment at the end, because that is in a string or after a backslash."""

    def logical_line(self, line: int) -> tuple[int, int]:
        """The first and last line of the logical line that contains a line."""
        return self.logical.get(line, (line, line))


def lay_out(lines: Lines) -> CommentLayout:
    """Find comments and logical lines.

    Text that the running Python cannot tokenize, because it is invalid or too new, is handled up to the
    error.
    """
    layout = CommentLayout()
    first = 0
    formats: list[int] = []  # the first lines of the open f-strings
    try:
        for token in tokenize.generate_tokens(_Reader(lines)):
            line, column = token.start
            kind = tokenize.tok_name[token.type]
            if token.type == tokenize.COMMENT:
                alone = not lines.text(line)[:column].strip()
                start = lines.offset(line, column + 1)
                layout.comments.append(Comment(line, start, token.string, alone))
                continue
            if kind in ("FSTRING_START", "TSTRING_START"):
                formats.append(line)
            elif kind in ("FSTRING_END", "TSTRING_END"):
                layout.open.update(range(formats.pop(), token.end[0]))
            if token.type == tokenize.NEWLINE:
                rows = range(first or line, line + 1)
                layout.logical.update((row, (rows[0], line)) for row in rows)
                layout.open.update(row for row in rows if row != line and lines.text(row).endswith("\\"))
                first = 0
            elif token.type not in _LAYOUT:
                first = first or line
                layout.open.update(range(line, token.end[0]))
    except (tokenize.TokenError, SyntaxError):
        pass
    return layout


class _Reader:
    """Passes lines with uniform line ends to the tokenizer, so that its columns are the same as here."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._next = 1

    def __call__(self) -> str:
        if self._next > len(self._lines):
            return ""
        text = self._lines.text(self._next)
        ended = self._next < len(self._lines)
        self._next += 1
        return text + "\n" if ended else text
