"""Places in files, and their references."""

from __future__ import annotations

from typing import NewType

from devlint.model.value import ordered

SiteId = NewType("SiteId", int)
"""A reference to a place, which its observer resolves to a `Site` only when a report needs it.

In the source observer it is the number of a syntax node; in the runtime observer, that of a pair of code
object and instruction. Line and column are computed only for findings, because that costs a third of a parse.
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
