"""Reads the JSON of `devlint run` and `devlint check`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.benchmarks.agreement.truth import Found, Place


def findings(text: str, root: Path) -> tuple[Found, ...]:
    """The findings in files below a root, with paths relative to it."""
    rows: list[dict[str, Any]] = json.loads(text) if text.strip() else []
    read = (_finding(row, root.resolve()) for row in rows)
    return tuple(found for found in read if found is not None)


def _finding(row: dict[str, Any], root: Path) -> Found | None:
    place = _place(row, root)
    if place is None:
        return None
    related = (_place(one, root) for one in row["related"])
    return Found(
        row["code"],
        place,
        row["message"],
        tuple(one for one in related if one is not None),
        (row.get("observed") or {}).get("count") or 0,
        row.get("confidence") or "",
    )


def _place(row: dict[str, Any], root: Path) -> Place | None:
    path = (root / row["filename"]).resolve()
    if not row.get("location") or not path.is_relative_to(root):
        return None
    first = row["location"]["row"]
    last = (row.get("end_location") or row["location"])["row"]
    return Place(str(path.relative_to(root)), first, max(first, last))
