"""Functions outside of torch that require host data, or read tensors themselves."""

from __future__ import annotations

from enum import Enum
from functools import cache
from pathlib import Path

from devlint.model import Cause
from devlint.model.value import value
from devlint.operators.row import member

_TABLE = Path(__file__).parent / "data" / "host_consumers.tsv"


class Consumption(Enum):
    """What a host consumer does with a device tensor."""

    RAISES = "raises"
    """It requires an array, to which torch refuses to convert the tensor."""
    READS = "reads"
    """It converts the tensor to a Python number or text, for which the host waits."""


@value
class HostFunction:
    """A function outside of torch, and what it does with a device tensor."""

    pattern: str
    """Its qualified name, or a package and `*`: `numpy.*`."""
    does: Consumption
    nested: bool
    """Whether it also does so with tensors in a list or tuple: `numpy.array([t])`, not
    `pandas.Series([t])`."""
    cause: Cause | None
    """Why the host waits, if the function reads."""
    source: str


READ_AS_NUMBERS = {"numpy.random": frozenset({"size"})}
"""Arguments of a package's functions that are converted to numbers; a tensor may be on any device. (Observed
with null CUDA, torch 2.13, NumPy 2.4.)"""


def is_read_as_number(qualified_name: str, keyword: str) -> bool:
    """Whether a function outside of torch converts an argument to a number instead of an array."""
    return keyword in READ_AS_NUMBERS.get(qualified_name.rpartition(".")[0], ())


HANDED_ON = {"scipy.optimize.minimize": ("args", 2)}
"""Arguments that a function outside of torch hands to the program's function as they are, by keyword and
position. (SciPy 1.17, `scipy/optimize/_optimize.py`: `fun(x, *args)`)"""


def is_handed_on(qualified_name: str, keyword: str, position: int) -> bool:
    """Whether a function outside of torch hands an argument to the program's function as it is."""
    name, at = HANDED_ON.get(qualified_name, ("", -1))
    return keyword == name if keyword else position == at


def find_host_consumer(qualified_name: str) -> HostFunction | None:
    """What a function outside of torch does with a device tensor; None if it is unknown, or accepts device
    tensors.

    The row of the name itself takes precedence over those of its packages, the innermost first.
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
