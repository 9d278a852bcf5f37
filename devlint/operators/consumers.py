"""Functions outside torch that want host data, or read a tensor by themselves."""

from __future__ import annotations

from enum import Enum
from functools import cache
from pathlib import Path

from devlint.model import Cause
from devlint.model.value import value
from devlint.operators.row import member

_TABLE = Path(__file__).parent / "data" / "host_consumers.tsv"


class Consumption(Enum):
    """What a host consumer does with a tensor that is not on the host."""

    RAISES = "raises"
    """It wants an array, which torch refuses to make."""
    READS = "reads"
    """It makes a Python number or text of it, for which the host waits."""


@value
class HostFunction:
    """A function outside torch and what it does with a tensor that is not on the host."""

    pattern: str
    """Its qualified name, or a package and `*`: `numpy.*`."""
    does: Consumption
    nested: bool
    """Whether it does so to tensors in a list or tuple too: `numpy.array([t])`, not `pandas.Series([t])`."""
    cause: Cause | None
    """Why the host waits, where it reads."""
    source: str


READ_AS_NUMBERS = {"numpy.random": frozenset({"size"})}
"""Arguments of a package's functions of which a number is made, for which a tensor may lie anywhere. (Seen
with null CUDA, torch 2.13, NumPy 2.4.)"""


def is_read_as_number(qualified_name: str, keyword: str) -> bool:
    """Whether a function outside torch makes a number of an argument rather than an array."""
    return keyword in READ_AS_NUMBERS.get(qualified_name.rpartition(".")[0], ())


def find_host_consumer(qualified_name: str) -> HostFunction | None:
    """What a function outside torch does with a device tensor; None if it is none, or takes one as it is.

    The row for the name itself speaks before those for the packages around it, the innermost first.
    """
    rows = _rows()
    if qualified_name in rows:
        return rows[qualified_name]
    package = qualified_name
    while "." in package:
        package = package.rpartition(".")[0]
        if (pattern := f"{package}.*") in rows:
            return rows[pattern]
    return None


@cache
def _rows() -> dict[str, HostFunction | None]:
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    return dict(_decode(line) for line in lines if not line.startswith("#"))


def _decode(line: str) -> tuple[str, HostFunction | None]:
    """A row: pattern, verdict, source. Verdicts: `raises`, `raises nested`, `reads:CAUSE`, `accepts`."""
    pattern, verdict, source = line.split("\t")
    what, *rest = verdict.split(" ")
    if what == "accepts":
        return pattern, None
    does, _, cause = what.partition(":")
    consumer = HostFunction(
        pattern=pattern,
        does=Consumption(does),
        nested="nested" in rest,
        cause=member(Cause, cause) if cause else None,
        source=source,
    )
    return pattern, consumer
