"""The lines of a file that a run could have executed, but did not."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from types import CodeType


def unrun(text: str, ran: Collection[int]) -> frozenset[int]:
    """The lines with code that were not run; none if this Python cannot parse the text."""
    try:
        module = compile(text, "<unrun>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(_lines(module)).difference(ran)


def _lines(code: CodeType) -> Iterator[int]:
    yield from (line for _, _, line in code.co_lines() if line)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _lines(inner)
