"""Places of a running program: numbered by code object and instruction, resolved when a report names them."""

from __future__ import annotations

import dis
import linecache
import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from threading import RLock
from types import CodeType, FrameType

from devlint.model import Edit, EditRequest, Site, SiteId
from devlint.runtime.places.expressions import TextExtent, chains, part_of
from devlint.runtime.places.frames import own_frame
from devlint.runtime.places.installed import package_of

_Span = tuple[int, int, int, int]
"""First line, first column, last line, end column; lines from 1, columns in characters from 0."""


class Sites:
    """Numbers places, and resolves the numbers later.

    A number costs one look-up. Code objects are kept, so that a place outlives its frame.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[CodeType, int, str], SiteId] = {}
        self._spans: dict[tuple[CodeType, _Span, str], SiteId] = {}
        self._places: list[tuple[CodeType, int] | Site] = []
        self._texts: dict[SiteId, str] = {}
        self._dropped: dict[SiteId, bool] = {}
        self._parts: dict[tuple[SiteId, str], SiteId] = {}
        self._callers: dict[SiteId, dict[SiteId, None]] = {}
        """For places in installed packages, the nearest lines of the program that led there."""
        self.own: Collection[str] = ()
        """Installed packages that count as the program's own."""
        self.on_caller: list[Callable[[SiteId, SiteId], None]] = []
        """Called with each new place in an installed package, and the program's line that led there."""
        self._lock = RLock()

    def at(self, frame: FrameType | None) -> SiteId:
        """The current place of a frame; `NOWHERE_SITE` without a frame."""
        if frame is None:
            return NOWHERE_SITE
        code = frame.f_code
        # Code objects of two files are equal if their text is.
        key = (code, frame.f_lasti, code.co_filename)
        known = self._numbers.get(key)
        number = known if known is not None else self._number(key)
        package = package_of(code.co_filename)
        if package and package not in self.own:
            self._note_caller(number, frame)
        return number

    def number(self, code: CodeType, instruction: int) -> SiteId | None:
        """The place of an instruction, if it has a number."""
        return self._numbers.get((code, instruction, code.co_filename))

    def led(self, site: SiteId, caller: SiteId) -> None:
        """Record that a line of the program led to a place in an installed package."""
        callers = self._callers.setdefault(site, {})
        if caller not in callers and len(callers) < _MAX_CALLERS:
            callers[caller] = None
            for listener in self.on_caller:
                listener(site, caller)

    def callers(self, site: SiteId) -> tuple[SiteId, ...]:
        """The program's lines that led to a place in an installed package, in order of first occurrence."""
        return tuple(self._callers.get(site, ()))

    def known(self, place: Site, text: str) -> SiteId:
        """The number of a place that another process has resolved; `text` is its source text."""
        with self._lock:
            count = len(self._places)
        same = next((number for number in map(SiteId, range(count)) if self.site(number) == place), None)
        if same is not None:
            return same
        return self._add(place, text)

    def site(self, site: SiteId) -> Site:
        """The resolved place. Python 3.10 has no columns; there, a place is the whole line."""
        if site == NOWHERE_SITE:
            return Site("<unknown>", 1, 1, 1, 1)
        place = self._places[site]
        if isinstance(place, Site):
            return place
        code, instruction = place
        first, start, last, end = _span(code, instruction)
        function = getattr(code, "co_qualname", code.co_name)
        return Site(shown_path(code.co_filename), first, start + 1, last, end + 1, function=function)

    def filename(self, site: SiteId) -> str:
        """The file of a place, as Python names it, independent of later changes of the working directory."""
        if site == NOWHERE_SITE:
            return "<unknown>"
        place = self._places[site]
        return place.path if isinstance(place, Site) else place[0].co_filename

    def text(self, site: SiteId) -> str:
        """The source text of the instruction's expression or statement; empty if there is none."""
        known = self._texts.get(site)
        if known is None:
            known = self._texts[site] = self._read(site)
        return known

    def part(self, site: SiteId, text: str) -> SiteId:
        """The place of a part with this text in the expression at a place; that place itself if there is
        none."""
        key = (site, text)
        known = self._parts.get(key)
        if known is None:
            extent = part_of(self.text(site), text)
            place = site if extent is None else self._add(_within(self.site(site), extent), text)
            known = self._parts[key] = place
        return known

    def result_is_dropped(self, site: SiteId) -> bool:
        """Whether the program discards the result of the call at this place: the call is a statement."""
        known = self._dropped.get(site)
        if known is None:
            known = self._dropped[site] = self._drops_result(site)
        return known

    def _drops_result(self, site: SiteId) -> bool:
        if site == NOWHERE_SITE:
            return False
        place = self._places[site]
        if isinstance(place, Site):
            return False
        code, instruction = place
        return _next_instruction(code, instruction) == "POP_TOP"

    def locate(self, sites: Collection[SiteId], edits: Collection[EditRequest] = ()) -> LocatedSites:  # noqa: ARG002
        """Resolve places. There are no edits, because a run has no syntax tree."""
        callers = {site: tuple(map(self.site, self.callers(site))) for site in sites}
        return LocatedSites(
            {site: self.site(site) for site in sites},
            {site: led for site, led in callers.items() if led},
        )

    def start_over(self) -> None:
        """In a forked process: replace the lock, which a thread of the parent may hold."""
        self._lock = RLock()

    def _add(self, place: Site, text: str) -> SiteId:
        with self._lock:
            self._places.append(place)
            number = SiteId(len(self._places) - 1)
        self._texts[number] = text
        return number

    def _note_caller(self, site: SiteId, frame: FrameType) -> None:
        own = own_frame(frame, self.own)
        if own is not None:
            self.led(site, self.at(own))

    def _number(self, key: tuple[CodeType, int, str]) -> SiteId:
        code, instruction, filename = key
        # An adaptive interpreter may be at another instruction of the same call next time.
        span = _span(code, instruction) if _KNOWS_COLUMNS else (instruction, 0, 0, 0)
        expression = (code, span, filename)
        with self._lock:
            known = self._spans.get(expression)
            if known is None:
                self._places.append((code, instruction))
                known = self._spans[expression] = SiteId(len(self._places) - 1)
            self._numbers[key] = known
            return known

    def _read(self, site: SiteId) -> str:
        if site == NOWHERE_SITE:
            return ""
        place = self._places[site]
        if isinstance(place, Site):
            return ""
        code, instruction = place
        return _segment(code.co_filename, _span(code, instruction))


_MAX_CALLERS = 16
"""How many lines that led to one place are kept."""
_KNOWS_COLUMNS = hasattr(CodeType, "co_positions")
"""From Python 3.11 on (PEP 657)."""
NOWHERE_SITE = SiteId(-1)
"""Stands for places outside of the program."""


@dataclass(frozen=True, slots=True)
class LocatedSites:
    """Resolved places."""

    sites: dict[SiteId, Site]
    callers: dict[SiteId, tuple[Site, ...]] = field(default_factory=dict)
    """For places in installed packages, the nearest lines of the program that led there."""

    def site(self, site: SiteId, /) -> Site:
        """The place with this number."""
        return self.sites[site]

    def edit(self, request: EditRequest, /) -> Edit | None:  # noqa: ARG002
        """None, because findings of a run have no fixes."""
        return None


def _within(whole: Site, part: TextExtent) -> Site:
    """The place of a part of an expression. Columns in its first line count from the start of the
    expression."""
    first, last = whole.column if part.line == 0 else 1, whole.column if part.end_line == 0 else 1
    return replace(
        whole,
        line=whole.line + part.line,
        column=first + part.column,
        end_line=whole.line + part.end_line,
        end_column=last + part.end_column,
    )


def shown_path(filename: str) -> str:
    """The path of a file in reports: relative to the working directory if the file is below it."""
    if filename.startswith("<"):
        return filename
    try:
        relative = os.path.relpath(filename)
    except ValueError:  # on another drive
        return filename
    return filename if relative.startswith(os.pardir) else relative


def _span(code: CodeType, instruction: int) -> _Span:
    positions = getattr(code, "co_positions", None)
    if positions is not None:
        first, last, start, end = next(islice(positions(), instruction // 2, None), (None, None, None, None))
        if first is not None and last is not None and start is not None and end is not None:
            if _follows_dot(code.co_filename, first, start):
                first, start = chains(code.co_filename).get((last, end), (first, start))
            begin = _characters(code.co_filename, first, start)
            return first, begin, last, _characters(code.co_filename, last, end)
    return _whole_line(code, instruction)


def _follows_dot(filename: str, line: int, offset: int) -> bool:
    """Whether an expression starts behind a dot. Of a method that is called in another line than its receiver
    begins, Python knows the place of the name only (`update_start_location_to_match_attr` in
    Python/compile.c)."""
    return linecache.getline(filename, line).encode()[:offset].rstrip().endswith(b".")


def _whole_line(code: CodeType, instruction: int) -> _Span:
    line = next(
        (number for begin, end, number in code.co_lines() if begin <= instruction < end and number),
        code.co_firstlineno,
    )
    text = linecache.getline(code.co_filename, line).rstrip("\r\n")
    indent = len(text) - len(text.lstrip())
    return line, indent, line, max(len(text), indent)


def _characters(filename: str, line: int, offset: int) -> int:
    """A column in characters, from the UTF-8 column of a code object."""
    text = linecache.getline(filename, line)
    return len(text.encode()[:offset].decode(errors="replace")) if text else offset


def _segment(filename: str, span: _Span) -> str:
    first, start, last, end = span
    lines = [linecache.getline(filename, number) for number in range(first, last + 1)]
    if not lines or not lines[-1]:
        return ""
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    return "".join(lines)


def _next_instruction(code: CodeType, instruction: int) -> str:
    following: Iterator[dis.Instruction] = (
        each for each in dis.get_instructions(code) if each.offset > instruction
    )
    return next((each.opname for each in following if each.opname != "CACHE"), "")
