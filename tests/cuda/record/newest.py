"""The records that are kept, and what devlint says today of what the newest of them has seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from tests.cuda.record.files import Contents, Row, read
from tests.cuda.record.ground import Ground
from tests.cuda.record.part import SIMULATED, Part

RECORDS = Path(__file__).parents[1] / "records"
"""A folder a record, named after the day and the GPU."""


def kept() -> list[Path]:
    """The files of all records that are kept, the newest record's last."""
    return sorted(RECORDS.glob("*/*.tsv"))


def newest(part: str) -> Contents | None:
    """The newest record of a part; None where there is none."""
    files = [path for path in kept() if path.stem == part]
    return read(files[-1]) if files else None


def said_today(part: Part, contents: Contents, subjects: Iterable[str]) -> Contents:
    """A record of these subjects with what simulated devices say of them now."""
    (observer,) = (observer for observer in part.observers if observer.grounds == SIMULATED)
    wanted = set(subjects).intersection(part.subjects(observer, Ground.SIMULATED))
    rows = [row for row in contents.rows if row.subject in wanted and row.observer != observer.name]
    for subject in sorted({row.subject for row in rows}):
        fresh = observer.ask(subject)
        rows.extend(Row(Ground.SIMULATED, observer.name, subject, fields) for fields in fresh)
    return replace(contents, rows=rows)
