"""How often, how much and how long, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devlint.model import Observed

_SIZES = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))


def observed(measured: Observed) -> str:
    """`1,200 times, 4.8 MB, the host waited 1.9 s`, without what was not measured; `about 1,200 times, …` if
    estimated."""
    parts = [approximate(times(measured.count), estimated=measured.estimated)]
    if measured.bytes is not None:
        parts.append(size(measured.bytes))
    if measured.seconds is not None:
        parts.append(f"the host waited {duration(measured.seconds)}")
    return ", ".join(parts) + _by_rank(measured)


def _by_rank(measured: Observed) -> str:
    """`; 20 times on each of 4 ranks`, `; ranks 0, 1: 20 times; rank 2: never`; empty without ranks."""
    said: dict[str, list[int]] = {}
    for rank, found in measured.ranks:
        waited = "" if not found.seconds else f", {duration(found.seconds)}"
        said.setdefault(f"{times(found.count)}{waited}" if found.count else "never", []).append(rank)
    if len(said) == 1:
        return f"; {next(iter(said))} on each of {count(len(measured.ranks), 'rank')}"
    return "".join(
        f"; {'rank' if len(ranks) == 1 else 'ranks'} {', '.join(map(str, ranks))}: {words}"
        for words, ranks in said.items()
    )


def approximate(words: str, *, estimated: bool) -> str:
    """`about 1,200 times`, if that is estimated."""
    return f"about {words}" if estimated else words


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 finding`, `1,200 findings`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def times(number: int) -> str:
    """`once`, `1,200 times`."""
    return "once" if number == 1 else f"{number:,} times"


def size(number: int) -> str:
    """`12 bytes`, `4.8 MB`: powers of a thousand."""
    for unit, name in _SIZES:
        if number >= unit:
            return f"{_rounded(number / unit)} {name}"
    return "1 byte" if number == 1 else f"{number} bytes"


def duration(seconds: float) -> str:
    """`1.9 s`, `35 ms`, `120 us`."""
    for unit, name in _TIMES:
        if seconds >= unit:
            return f"{_rounded(seconds / unit)} {name}"
    return "less than 1 us" if seconds > 0 else "0 s"


def _rounded(value: float) -> str:
    """To two digits, or to all digits before the decimal point."""
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"
