"""Look-up of ATen's kernels, which torch runs below its functions; one row for each overload.

The rows are in the notation of the functions' table. Composite operators have none, because torch decomposes
them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from devlint.operators.operator import Operator
from devlint.operators.row import decode

_TABLE = Path(__file__).parent / "data" / "kernels.tsv"


@cache
def find_kernel(name: str) -> Operator | None:
    """The row of an overload by its schema's name: `aten::add.Tensor`, `aten::relu`; None without one."""
    row = _rows().get(name)
    return decode(row) if row else None


def kernel_names() -> tuple[str, ...]:
    """The names of all rows, sorted."""
    return tuple(_rows())


@cache
def _rows() -> dict[str, str]:
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    return {line[: line.index("\t")]: line for line in lines if not line.startswith("#")}
