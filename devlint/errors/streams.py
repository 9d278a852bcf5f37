"""Splitting a log into the lines of each process, without the prefixes of its launcher.

A prefix of a launcher, a log collector or a terminal is recognized by one fact: it precedes a line of a
traceback, and the lines around that line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
"""Escape sequences that color a terminal's text or set its title."""
_FOUND = re.compile(
    r"(?P<prefix>.*?)(?:(?:Original |Exception Group )?Traceback \(most recent call last\):"
    r"|  File \"[^\"]+\", line \d)"
)
_DIGITS = re.compile(r"\d+")
_QUOTED_NEWLINE = "(most recent call last):\\n"


class PrefixedLines(NamedTuple):
    """The lines with one prefix."""

    label: str
    """`[rank0]:`; empty for lines without."""
    lines: list[str]


def streams(text: str) -> list[PrefixedLines]:
    """The lines of a text by prefix; those without a prefix come last."""
    lines = list(_lines(text))
    rest: list[str] = []
    found: dict[str, list[str]] = {}
    prefixes = list(_prefixes(lines))
    for line in lines:
        for label, prefix in prefixes:
            match = prefix.match(line)
            if match is not None:
                found.setdefault(label, []).append(line[match.end() :])
                break
        else:
            rest.append(line)
    return [*(PrefixedLines(label, own) for label, own in found.items()), PrefixedLines("", rest)]


def _lines(text: str) -> Iterator[str]:
    for line in _ESCAPE.sub("", text).replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if _QUOTED_NEWLINE in line:  # a traceback in a JSON string
            yield from line.replace("\\n", "\n").replace('\\"', '"').split("\n")
        else:
            yield line


def _prefixes(lines: Iterable[str]) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The prefixes of lines of tracebacks that more than one line has.

    A timestamp differs between lines only in its digits.
    """
    lines = list(lines)
    known: set[str] = set()
    for line in lines:
        match = _FOUND.match(line)
        prefix = "" if match is None else match["prefix"]
        if not prefix.strip() or prefix in known:
            continue
        known.add(prefix)
        exact = re.compile(
            re.escape(prefix.rstrip()) + r"(?:[ \t]|$)" if prefix[-1:].isspace() else re.escape(prefix)
        )
        if _is_common(exact, lines):
            yield prefix.strip(), exact
            continue
        alike = re.compile(_DIGITS.sub(r"\\d+", re.escape(prefix)))
        if _is_common(alike, lines):
            yield "", alike


def _is_common(prefix: re.Pattern[str], lines: Iterable[str]) -> bool:
    return sum(prefix.match(line) is not None for line in lines) > 1
