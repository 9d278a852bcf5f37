"""The positions of values in a JSON text, so that one can be replaced and all others stay unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterator

Span = tuple[int, int]
"""The offsets at which a value starts and ends."""

_read = json.JSONDecoder().raw_decode


def items(written: str, at: int = 0) -> Iterator[Span]:
    """The items of the array, or the keys and values of the object, at an offset."""
    at = _after(written, " \t\r\n", at) + 1
    while written[at := _after(written, " \t\r\n,:", at)] not in "]}":
        _, end = _read(written, at)
        yield at, end
        at = end


def member(written: str, name: str, at: int = 0) -> tuple[Span, Span]:
    """A key of the object at an offset, and its value; of duplicates the last one, as in `json`."""
    spans = list(items(written, at))
    pairs = zip(spans[::2], spans[1::2], strict=True)
    return [(key, value) for key, value in pairs if _read(written, key[0])[0] == name][-1]


def _after(written: str, skipped: str, at: int) -> int:
    while written[at] in skipped:
        at += 1
    return at
