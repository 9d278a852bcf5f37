"""Chooses the planted bugs to read: at random with a seed, equally from all kinds and packages."""

from __future__ import annotations

import random
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.accuracy.kinds import KINDS, parses, plantings
from tests.benchmarks.accuracy.planting import Planting, Source

SEED = 4
_NO_PROGRAM = frozenset({"build", "test", "tests", "testing", "test_community", "test_utils"})
"""Directories of tests, which run on the host, and of copies."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A planted bug, and its file, with a path that starts with the package."""

    path: str
    text: str
    planting: Planting

    @property
    def statement(self) -> str:
        """The statement that is changed, on one line."""
        lines = self.text.split("\n")[self.planting.first - 1 : self.planting.last]
        return " ".join(" ".join(lines).split())


def candidates(directory: Path) -> dict[str, dict[str, list[Candidate]]]:
    """All plantings below a directory, by kind and package; of equal statements in a package, the first."""
    found: defaultdict[str, dict[str, list[Candidate]]] = defaultdict(dict)
    seen: set[tuple[str, str, str]] = set()
    for file in sorted(directory.rglob("*.py")):
        path = file.relative_to(directory)
        if not _NO_PROGRAM.isdisjoint(path.parts) or path.name.startswith("test_"):
            continue
        text = file.read_bytes().decode("utf-8", "replace")
        source = _parsed(text)
        for planting in plantings(source) if source is not None else ():
            candidate = Candidate(path.as_posix(), text, planting)
            key = (planting.kind, path.parts[0], candidate.statement)
            if key not in seen:
                seen.add(key)
                found[planting.kind].setdefault(path.parts[0], []).append(candidate)
    return found


def _in_turn(by_package: dict[str, list[Candidate]], seed: str) -> Iterator[Candidate]:
    draw = random.Random(seed)
    waiting = {package: draw.sample(found, len(found)) for package, found in sorted(by_package.items())}
    while waiting:
        for package in list(waiting):
            candidate = waiting[package].pop()
            if not waiting[package]:
                del waiting[package]
            if parses(candidate.planting.plant(candidate.text)):
                yield candidate


def draw_all(directory: Path, numbers: dict[str, int], seed: int = SEED) -> list[Candidate]:
    """This number of planted bugs of each kind."""
    found = candidates(directory)
    return [
        candidate
        for kind in KINDS
        for candidate, _ in zip(
            _in_turn(found[kind], f"{kind} {seed}"), range(numbers.get(kind, 0)), strict=False
        )
    ]


def _parsed(text: str) -> Source | None:
    if not re.search(r"^[ \t]*(?:from|import)[ \t]+torch\b", text, re.MULTILINE):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Source(text)
        except SyntaxError:
            return None
