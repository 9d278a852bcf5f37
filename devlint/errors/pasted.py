"""Pasted tracebacks: of Python and IPython, of any release, chained, nested or cut off."""

from __future__ import annotations

import re
from typing import NamedTuple

from devlint.errors.streams import PrefixedLines, streams

MOST_LINES = 40
"""How many lines of an error's text are read. Further lines are most likely something else."""

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
"""The beginnings of lines between frames."""
_NUMBERED = re.compile(r"\s*\d+( |$)")
_MARKS = re.compile(r"[ ]*[~^][~^ ]*$")
_ERROR = re.compile(r"(?:\|\s+)?(?P<type>(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?::(?: (?P<text>.*))?)?$")
_BARE_ERROR = re.compile(
    r"\s*(?P<type>(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|Interrupt|Exit))(?::(?: (?P<text>.*))?)?$"
)
"""Without a traceback before it, the name must look like that of an error."""


class PastedFrame(NamedTuple):
    """One level of a traceback."""

    path: str
    line: int
    """From 1; 0 if the traceback has none."""
    function: str = ""
    code: str = ""
    """The quoted line, without its indentation; empty if none is quoted."""
    marked: tuple[int, int] | None = None
    """The part of the code that Python underlines, as offsets."""


class Raised(NamedTuple):
    """An error and its traceback, the innermost frame last."""

    type: str
    """Empty if the text is cut off before the error."""
    text: str
    frames: tuple[PastedFrame, ...] = ()
    chain: int = 0
    """Chained errors have the same number."""
    label: str = ""
    """The prefix of its lines: `[rank0]:`."""


def pasted(text: str) -> list[Raised]:
    """The errors in a text, in the order of the text within each process."""
    found: list[Raised] = []
    for stream in streams(text):
        found += _Reader(stream, len(found)).read()
    return found


class _Reader:
    """Parses the lines of one process."""

    def __init__(self, stream: PrefixedLines, chain: int) -> None:
        self._stream = stream
        self._chain = chain
        self._found: list[Raised] = []
        self._begin()

    def read(self) -> list[Raised]:
        """The errors in the lines."""
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
            if self._type is not None:  # it belongs to another error, whose header is missing
                self._end()
            self._frames.append(frame)
        elif self._type is not None:
            self._text.append(line)
        elif not (self._frames and self._goes_on(line)):
            self._tell(line)

    def _goes_on(self, line: str) -> bool:
        """Whether a line belongs to the last frame: its code, or marks under the code."""
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
        """Parse the line, if it names the error."""
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
