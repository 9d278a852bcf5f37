"""Tracebacks as people paste them: Python's and IPython's, of any release, chained, nested and cut off."""

from __future__ import annotations

import re
from typing import NamedTuple

from devlint.errors.streams import PrefixedLines, streams

MOST_LINES = 40
"""So many lines of an error's own text are read. What comes behind is most likely something else."""

_HEADER = re.compile(
    r"(?P<indent>[ |+]*)(?:Original |Exception Group |Remote )?Traceback \(most recent call last\):?\s*$"
)
_NOTEBOOK_HEADER = re.compile(r"(?P<type>[A-Za-z_][\w.]*)\s+Traceback \(most recent call last\)\s*$")
_LINK = re.compile(
    r"\s*(?:The above exception was the direct cause of|During handling of the above exception)"
)
_FRAME = re.compile(r'\s*(?:\|\s+)?File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>.+))?\s*$')
_CELL_FRAME = re.compile(
    r"(?:Cell |Input )?(?P<path>In ?\[\d+\])(?:, line (?P<line>\d+)|, in .+|, in <.*>)?(?:, in .+)?\s*$"
)
_NOTEBOOK_FRAME = re.compile(r"File (?P<path>\S.*?):(?P<line>\d+)(?:, in (?P<function>[\w.<>]+).*)?\s*$")
_OLD_NOTEBOOK_FRAME = re.compile(
    r"(?P<path><ipython-input-[^>]+>|\S.*?\.\w+) in (?P<function><?[\w.]+>?)(?:\(.*)?\s*$"
)
_ARROW = re.compile(r"-+> ?(?P<line>\d+) ?(?P<code>.*)$")
_INSIDE = re.compile(r"\s|$|\d+ |\(\.\.\.\)|\[Previous line repeated|\[\.\.\. ")
"""What the lines between frames begin with."""
_NUMBERED = re.compile(r"\s*\d+( |$)")
_MARKS = re.compile(r"[ ]*[~^][~^ ]*$")
_ERROR = re.compile(r"(?:\|\s+)?(?P<type>(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?::(?: (?P<text>.*))?)?$")
_BARE_ERROR = re.compile(
    r"\s*(?P<type>(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|Interrupt|Exit))(?::(?: (?P<text>.*))?)?$"
)
"""Without a traceback above it, the name has to look like an error's."""


class PastedFrame(NamedTuple):
    """One level of a traceback."""

    path: str
    line: int
    """From 1; 0 where the traceback does not say."""
    function: str = ""
    code: str = ""
    """The line as the traceback quotes it, without its indentation; empty where it quotes none."""
    marked: tuple[int, int] | None = None
    """Which part of the code Python has underlined, as offsets into it."""


class Raised(NamedTuple):
    """An error, and how the program came to it, the innermost frame last."""

    type: str
    """Empty where the text is cut off before the error."""
    text: str
    frames: tuple[PastedFrame, ...] = ()
    chain: int = 0
    """Errors of which one came of the other have the same number."""
    label: str = ""
    """What its lines begin with: `[rank0]:`."""


def pasted(text: str) -> list[Raised]:
    """The errors in a text, in its order within each process: the one that came first stands first."""
    found: list[Raised] = []
    for stream in streams(text):
        found += _Reader(stream, len(found)).read()
    return found


class _Reader:
    """Reads one process's lines, one after the other."""

    def __init__(self, stream: PrefixedLines, chain: int) -> None:
        self._stream = stream
        self._chain = chain
        self._found: list[Raised] = []
        self._begin()

    def read(self) -> list[Raised]:
        """The errors that the lines tell of."""
        for line in self._stream.lines:
            self._take(line)
        self._end()
        return self._found

    def _begin(self, indent: int = 0, *, headed: bool = False) -> None:
        self._indent = indent
        self._headed = headed
        self._frames: list[PastedFrame] = []
        self._code_at = 0
        self._type: str | None = None
        self._text: list[str] = []

    def _take(self, line: str) -> None:
        if _LINK.match(line):
            self._end(linked=True)
            return
        header = _HEADER.match(line)
        if header is not None or _NOTEBOOK_HEADER.match(line):
            self._end(linked=self._type is not None and "Original Traceback" in line)
            self._begin(0 if header is None else len(header["indent"]), headed=True)
            return
        frame = _frame(line)
        if frame is not None:
            if self._type is not None:  # of another error, whose header is missing
                self._end()
            self._frames.append(frame)
        elif self._type is not None:
            self._text.append(line)
        elif not (self._frames and self._goes_on(line)):
            self._tell(line)

    def _goes_on(self, line: str) -> bool:
        """Whether a line belongs to the last frame: the code there, or marks under it."""
        last = self._frames[-1]
        arrow = _ARROW.match(line)
        if arrow is not None:
            self._frames[-1] = last._replace(line=last.line or int(arrow["line"]), code=arrow["code"].strip())
            return True
        inner = line if line[: self._indent].strip(" |+") else line[self._indent :]
        if not _INSIDE.match(inner):
            return False
        start = len(line) - len(line.lstrip())
        if _MARKS.match(line):
            if last.code and last.marked is None:
                first = max(start - self._code_at, 0)
                self._frames[-1] = last._replace(marked=(first, first + len(line.strip())))
        elif not last.code and inner.startswith("    ") and not _NUMBERED.match(inner):
            self._code_at = start
            self._frames[-1] = last._replace(code=line.strip())
        return True

    def _tell(self, line: str) -> None:
        """Read the line that names the error, if it is that."""
        headed = self._headed or self._frames
        match = _ERROR.match(line[self._indent :]) if headed else _BARE_ERROR.match(line)
        if match is not None:
            self._type = match["type"]
            self._text = [match["text"] or ""]

    def _end(self, *, linked: bool = False) -> None:
        if self._type is not None or self._frames:
            text = "\n".join(self._text[:MOST_LINES]).rstrip()
            label = self._stream.label
            self._found.append(Raised(self._type or "", text, tuple(self._frames), self._chain, label))
            self._chain += not linked
        self._begin()


def _frame(line: str) -> PastedFrame | None:
    for pattern in (_FRAME, _CELL_FRAME, _NOTEBOOK_FRAME, _OLD_NOTEBOOK_FRAME):
        match = pattern.match(line)
        if match is not None:
            parts = match.groupdict()
            return PastedFrame(
                parts["path"], int(parts.get("line") or 0), (parts.get("function") or "").strip()
            )
    return None
