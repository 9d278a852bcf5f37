"""Decides whether the check finds a planted bug: a new finding of family DL1 at its lines."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.agreement.claims import claims
from tests.benchmarks.agreement.truth import Found, Place
from tests.benchmarks.planted.edits import edits
from tests.benchmarks.planted.plant import Plant


@dataclass(frozen=True, slots=True)
class Outcome:
    """One planted bug."""

    plant: Plant
    code: str
    """The rule that finds it; empty if none does."""


def judge(
    plants: Sequence[Plant], root: Path, files: Sequence[str], devlint: Path, options: Sequence[str]
) -> Iterator[Outcome]:
    """Check a program with each of its planted bugs, those that raise."""
    raising = [plant for plant in plants if plant.raised]
    if not raising:
        return
    with TemporaryDirectory() as temporary:
        copy = Path(temporary) / root.name
        shutil.copytree(root, copy, ignore=_all_but_python)
        before = {_identity(found) for found in claims(copy, files, devlint, options)}
        for plant in raising:
            original = (root / plant.path).read_bytes()
            edit = next(
                edit
                for edit in edits(original)
                if (edit.kind, edit.start, edit.end) == (plant.kind, plant.start, plant.end)
            )
            (copy / plant.path).write_bytes(edit.apply(original))
            found = claims(copy, files, devlint, options)
            (copy / plant.path).write_bytes(original)
            new = [one for one in found if one.code.startswith("DL1") and _identity(one) not in before]
            yield Outcome(plant, next((one.code for one in new if _meets(one, plant)), ""))


def _all_but_python(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if not name.endswith(".py") and not (Path(folder) / name).is_dir()}


def _identity(found: Found) -> tuple[str, str, int, str]:
    return found.code, found.place.path, found.place.first, found.message


def _meets(found: Found, plant: Plant) -> bool:
    """Whether a finding, or a place that it refers to, is where it was planted or where it raises."""
    raised, _, line = plant.raised.rpartition(":")
    lines = (Place(plant.path, plant.line, plant.line), Place(raised, int(line), int(line)))
    return any(place.overlaps(wanted) for place in (found.place, *found.related) for wanted in lines)
