"""The files of a record: a header that names all versions, then lines that name what each was seen on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.cuda.record.ground import Ground

LOST = "lost"
"""Stands for an answer where the process that was asked crashed or took too long."""
_KEY = "# {}: {}"
_SEPARATORS = re.compile(r"[\t\r\n]+")


class Row(NamedTuple):
    """One line of a file."""

    ground: Ground
    observer: str
    """By which means it was seen."""
    subject: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """A file that was read."""

    header: dict[str, str]
    rows: list[Row]

    @property
    def ground(self) -> Ground:
        """What the file was made on."""
        return _ground(self.header["made on"])

    @property
    def is_evidence(self) -> bool:
        """Whether the file was made on real CUDA."""
        return self.header.get("made on") == Ground.CUDA.label

    @property
    def is_complete(self) -> bool:
        """Whether all was asked that was to be asked, and nothing lost."""
        asked, _, wanted = self.header.get("asked", "").partition(" of ")
        return asked == wanted != "" and not any(row.fields == (LOST,) for row in self.rows)

    def seen(self, observer: str) -> dict[str, list[tuple[str, ...]]]:
        """What an observer saw, by subject; without what was lost."""
        found: dict[str, list[tuple[str, ...]]] = {}
        for row in self.rows:
            if row.observer == observer and row.fields != (LOST,):
                found.setdefault(row.subject, []).append(row.fields)
        return found


def write(path: Path, header: Mapping[str, str], columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write a file, all at once: whoever looks finds the old one, or the whole new one."""
    lines = [_KEY.format(key, value) for key, value in header.items()]
    lines.append("# columns: " + ", ".join(("seen on", "observer", "subject", *columns)))
    lines.extend("\t".join(map(_plain, (_label(row, header), *row[1:3], *row.fields))) for row in rows)
    fresh = path.with_name(path.name + ".new")
    fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")
    fresh.replace(path)


def read(path: Path) -> Contents:
    """Read a file.

    Raises:
        ValueError: a line names nothing that it could have been seen on.
    """
    header: dict[str, str] = {}
    rows: list[Row] = []
    for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n"):
        if line.startswith("# "):
            key, _, value = line[2:].partition(": ")
            header[key] = value
        else:
            label, observer, subject, *fields = line.split("\t")
            rows.append(Row(_ground(label), observer, subject, tuple(fields)))
    return Contents(header, rows)


def _ground(label: str) -> Ground:
    return Ground(label.removeprefix("rehearsal on "))


def _label(row: Row, header: Mapping[str, str]) -> str:
    """What a line was seen on: in a record from CUDA, simulated devices are compared and not rehearsed."""
    of_cuda = header.get("made on") == Ground.CUDA.label
    return row.ground.value if of_cuda else row.ground.label


def _plain(field: str) -> str:
    """A field on one line, without what separates fields."""
    return _SEPARATORS.sub(" ", field)
