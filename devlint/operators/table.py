"""Look-up by canonical name. The file is split into lines once; rows are decoded on use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from devlint.operators.operator import (
    ArgumentKind,
    DeviceRule,
    Operator,
    ResultDevice,
    ResultKind,
    SyncWhen,
)
from devlint.operators.row import decode

DATA = Path(__file__).parent / "data"
_TABLE = DATA / "operators.tsv"
_EXTENSIONS = DATA / "extensions.tsv"
"""Functions of packages that define operators of their own. This file is maintained by hand."""
_HEADER = "# torch "
_HOST_DATA = (ResultKind.ARRAY, ResultKind.CONTAINER, ResultKind.SCALAR)


def find(name: str, torch: str = "") -> Operator | None:
    """The row for a canonical name, or None if the table has none.

    `torch` is a version such as `2.13.0+cu130`; the row is the one that holds for it. Without a version it is
    the row for the newest torch.

    Raises:
        ValueError: `torch` is not a version.
    """
    operators = _operators(name)
    if not torch:
        return operators[-1] if operators else None
    wanted = _release(torch)
    return next((operator for operator in operators if _holds(operator, wanted)), None)


def takes_host_data(name: str) -> bool:
    """Whether an operator creates its tensor from Python numbers, lists or arrays, which are on the host."""
    row = find(name)
    return row is not None and any(sync.when is SyncWhen.HOST_DATA for sync in row.syncs)


@cache
def is_between_host_data_and_tensors(name: str) -> bool:
    """Whether a function of torch or a method of tensors, by its last name, returns the data of a tensor as
    numbers or arrays, or creates a tensor of such data or of memory of the host."""
    rows = [row for row in map(find, (f"torch.{name}", f"torch.Tensor.{name}")) if row is not None]
    return any(_returns_data(row) or takes_host_data(row.name) or _shares_host_memory(row) for row in rows)


def _returns_data(row: Operator) -> bool:
    return row.rule is DeviceRule.HOST_READ and row.result.kind in _HOST_DATA


def _shares_host_memory(row: Operator) -> bool:
    """Whether an operator creates a tensor on the host of one object that is none: `from_numpy`."""
    makes = row.rule is DeviceRule.METADATA and row.result.device is ResultDevice.HOST
    first = row.at(0)
    return makes and first is not None and first.kind is ArgumentKind.OTHER and not first.variadic


def names() -> Iterable[str]:
    """All canonical names of torch, sorted."""
    return _rows().keys()


def rows() -> Iterator[Operator]:
    """All rows; a name has several where versions differ, oldest first."""
    for name in names():
        yield from _operators(name)


def torch_versions() -> tuple[str, ...]:
    """The versions of torch that the rows were generated from and checked with, oldest first."""
    first, _, _ = _text().partition("\n")
    return tuple(first.removeprefix(_HEADER).split(" "))


@cache
def _text() -> str:
    return _TABLE.read_text(encoding="utf-8")


@cache
def _rows() -> dict[str, list[str]]:
    """Rows as text by name; a name has several where versions differ, oldest first."""
    return _by_name(_text())


@cache
def _rows_of_extensions() -> dict[str, list[str]]:
    return _by_name(_EXTENSIONS.read_text(encoding="utf-8"))


def _by_name(table: str) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for line in table.splitlines():
        if not line.startswith("#"):
            rows.setdefault(line[: line.index("\t")], []).append(line)
    return rows


@cache
def _operators(name: str) -> tuple[Operator, ...]:
    listed = _rows() if name.startswith("torch.") else _rows_of_extensions()
    return tuple(decode(row) for row in listed.get(name, ()))


def _holds(operator: Operator, torch: tuple[int, ...]) -> bool:
    if operator.since and torch < _release(operator.since):
        return False
    return not operator.until or torch < _release(operator.until)


@cache
def _release(version: str) -> tuple[int, ...]:
    """The release numbers of a version, without trailing zeros: `2.13.0+cu130` is (2, 13)."""
    match = re.match(r"\d+(\.\d+)*", version)
    if match is None:
        raise ValueError(f"{version!r} is not a version of torch")
    numbers = [int(number) for number in match.group().split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
