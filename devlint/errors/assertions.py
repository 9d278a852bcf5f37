"""Assertions that failing kernels print, before the error reaches the host.

The texts are data: each row of `assertions.tsv` has a regular expression for the failed condition.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

_TABLE = Path(__file__).parent / "assertions.tsv"
_PRINTED = re.compile(r"[Aa]ssertion [`'](?P<condition>.+?)['`] failed")
_MOST = 200
"""How many of them are examined; each thread of a kernel prints one."""


class Assertion(NamedTuple):
    """A failed condition of a kernel."""

    condition: str
    says: str
    """What happened; empty if the table lacks the condition."""
    help: str


class Row(NamedTuple):
    """One row of the table."""

    condition: re.Pattern[str]
    says: str
    help: str


def assertion(text: str) -> Assertion | None:
    """The first assertion of a kernel in a text; one that the table contains is preferred."""
    found: Assertion | None = None
    for number, match in enumerate(_PRINTED.finditer(text)):
        if number == _MOST:
            break
        read = _read(match["condition"])
        if read.says:
            return read
        found = found or read
    return found


def _read(condition: str) -> Assertion:
    for row in rows():
        if row.condition.search(condition):
            return Assertion(condition, row.says, row.help)
    return Assertion(condition, "", "")


@cache
def rows() -> tuple[Row, ...]:
    """All rows, in the order in which they are tried."""
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    return tuple(_row(line) for line in lines if line and not line.startswith("#"))


def _row(line: str) -> Row:
    condition, _, says, help_ = line.split("\t")
    return Row(re.compile(condition), says, help_)
