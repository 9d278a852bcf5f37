"""Where something stands: in a file, or in a running program."""

from __future__ import annotations

from typing import NewType

from devlint.model.value import ordered

SiteId = NewType("SiteId", int)
"""A reference to a place that its observer can resolve to a `Site`, and does only when a report needs it.

For the source observer it numbers a syntax node of one file; for the runtime observer, a pair of code object
and instruction. Finding line and column costs a third of a parse, so it is put off until a finding names it.
"""


@ordered
class Site:
    """A resolved place.

    Lines and columns count from 1, and columns count characters, as Ruff's do; the end is exclusive.
    `start` and `end` are offsets in characters into the decoded text, which edits use.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    start: int = 0
    end: int = 0
    function: str = ""
    """Qualified name of the enclosing function, or `<module>`."""
    cell: int | None = None
    """For a notebook, the number of the code cell, from 1; lines then count within the cell."""
