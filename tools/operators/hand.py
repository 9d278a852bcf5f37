"""Reads the files in `hand`, maintained by hand: whole rows, aliases, corrections and synchronizations.

Names in them may be short: `.sum` is both `torch.sum` and `torch.Tensor.sum`, `T.sum` is `torch.Tensor.sum`,
`F.relu` is `torch.nn.functional.relu`; anything else is written in full. Several are separated by spaces.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from devlint.operators import DeviceRule, Operator, Sync
from devlint.operators.row import decode, decode_syncs, member

DIRECTORY = Path(__file__).parent / "hand"


@dataclass(frozen=True, slots=True)
class Correction:
    """One field of one row, changed by hand."""

    name: str
    field: str
    value: str
    source: str


@dataclass(frozen=True, slots=True)
class Alias:
    """A name with the behavior of another name."""

    name: str
    target: str
    source: str


@dataclass(frozen=True, slots=True)
class HandSync:
    """A synchronization of one row; with versions, only in those."""

    name: str
    sync: Sync
    since: str
    until: str


@dataclass(frozen=True, slots=True)
class Past:
    """The rule that one row had before a version."""

    name: str
    until: str
    rule: DeviceRule
    source: str


def rows() -> Iterable[Operator]:
    """Whole rows, which torch's schemas and signatures do not describe."""
    for names, rule, arguments, result, source in _records("rows.tsv", 5):
        for name in _names(names):
            yield decode("\t".join((name, rule, arguments, result, "never", "", f"{source} | ")))


def aliases() -> Iterable[Alias]:
    """Names that get the content of another row."""
    for names, target, source in _records("aliases.tsv", 3):
        for name in _names(names):
            yield Alias(name, target, source)


def corrections() -> Iterable[Correction]:
    """Changes to single fields of generated rows, in order."""
    return _corrections("corrections.tsv")


def kernel_corrections() -> Iterable[Correction]:
    """The same for the rows of ATen's kernels."""
    return _corrections("kernels.tsv")


def kernel_corrections_under_modes() -> Iterable[Correction]:
    """Rows for kernels that behave differently under a mode; they take precedence over the record."""
    return _corrections("kernels_under_modes.tsv")


def _corrections(file: str) -> Iterable[Correction]:
    for names, field, value, source in _records(file, 4):
        for name in _names(names):
            yield Correction(name, field, value, source)


def syncs() -> Iterable[HandSync]:
    """Synchronizations, in their order in a row."""
    return _syncs("synchronizations.tsv")


def kernel_syncs() -> Iterable[HandSync]:
    """The same for the rows of ATen's kernels."""
    return _syncs("kernel_synchronizations.tsv")


def _syncs(file: str) -> Iterable[HandSync]:
    for names, text, versions, source in _records(file, 4):
        (sync,) = decode_syncs(text, [source])
        since, _, until = versions.partition("..")
        for name in _names(names):
            yield HandSync(name, sync, since, until)


def history() -> Iterable[Past]:
    """Rules that older versions had."""
    for names, until, rule, source in _records("history.tsv", 4):
        for name in _names(names):
            yield Past(name, until, member(DeviceRule, rule), source)


def _records(file: str, columns: int) -> Iterable[list[str]]:
    for number, line in enumerate((DIRECTORY / file).read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != columns or not cells[-1]:
            raise ValueError(f"{file}:{number}: {columns} columns with a source in the last, not {cells}")
        yield cells


def _names(text: str) -> Iterable[str]:
    for short in text.split(" "):
        if short.startswith("."):
            yield f"torch{short}"
            yield f"torch.Tensor{short}"
        elif short.startswith("T."):
            yield f"torch.Tensor{short[1:]}"
        elif short.startswith("F."):
            yield f"torch.nn.functional{short[1:]}"
        else:
            yield short
