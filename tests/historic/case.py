"""One real bug retold: its program, the repaired twin, its marks, and what devlint says of both."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from devlint.model import Confidence, Finding
from devlint.project.modules import Modules
from devlint.rules.engine import judge, resolve
from devlint.rules.registry import all_rules
from devlint.source import observe
from devlint.source.module_graph import ModuleGraph

FOLDER = Path(__file__).parents[1] / "cases"
MISSED = FOLDER / "missed.toml"

Spot = tuple[Path, int]
"""A line, from 1, of one file."""
Marks = Mapping[Spot, frozenset[str]]
"""Codes by line."""

_MARK = re.compile(r"# (?P<kind>error|also): \[(?P<codes>DL\d{3}(?:\|DL\d{3})*)\]")
_DEFAULT = frozenset(rule.code for rule in all_rules() if rule.enabled)


@dataclass(frozen=True)
class Case:
    """A bug that was met in public, as `cases.toml` tells of it."""

    id: str
    title: str
    url: str
    visibility: str
    taxon: str
    found: str = ""
    """How sure devlint is of the line that it is the least sure of; empty where one has no finding."""
    note: str = ""

    @cached_property
    def bad(self) -> tuple[Path, ...]:
        """The files of the program with the bug: one, or those of a folder."""
        return _files(FOLDER / self.id, "bad")

    @cached_property
    def good(self) -> tuple[Path, ...]:
        """The same program, repaired."""
        return _files(FOLDER / self.id, "good")

    @cached_property
    def errors(self) -> Marks:
        """On each of these lines devlint should speak, with one of the codes."""
        return _marks(self.bad, "error")

    @cached_property
    def allowed(self) -> Marks:
        """On these lines it may speak as well."""
        return _marks(self.bad, "also")

    @property
    def counts(self) -> bool:
        """Whether there is something to find; what torch allows by now is kept as a case that is silent."""
        return bool(self.errors)

    @property
    def heard(self) -> frozenset[str]:
        """The codes by which a false alarm is judged: those on by default, and those that the marks name.
        What is merely possible is none, since nobody hears of it who does not ask."""
        return _DEFAULT.union(*self.errors.values())

    def silent_lines(self, threshold: Confidence = Confidence.POSSIBLE) -> list[Spot]:
        """The marked lines on which devlint does not say what it should, as surely as that."""
        said = _said(self.bad, threshold)
        return [spot for spot, codes in self.errors.items() if codes.isdisjoint(said.get(spot, ()))]

    @cached_property
    def confidence(self) -> str:
        """As `found`, by what devlint says today."""
        levels = (Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE)
        return next((level.value for level in levels if self.counts and not self.silent_lines(level)), "")

    @property
    def stray(self) -> list[str]:
        """What devlint says of the bad program where no mark lets it, as `file:line: codes`."""
        return _alarms(self.bad, self.heard, self.errors, self.allowed)

    @property
    def alarms(self) -> list[str]:
        """What devlint says of the repaired program where no mark lets it, as `file:line: codes`.

        The repair of a mismatch may be a wait."""
        return _alarms(self.good, self.heard, _marks(self.good, "also"))


@cache
def all_cases() -> tuple[Case, ...]:
    """Every case, in the order of `cases.toml`."""
    return tuple(Case(**entry) for entry in _read(FOLDER / "cases.toml")["case"])


def reasons() -> dict[str, str]:
    """Why each case is missed that is known to be, by its id."""
    return {str(key): str(value) for key, value in _read(MISSED).items()}


def findings(path: Path, graph: ModuleGraph | None = None) -> list[Finding]:
    """All that devlint has to say of a file of a program, with every rule selected."""
    graph = graph or ModuleGraph(Modules())
    observation = observe(path.read_text(encoding="utf-8"), str(path), place=graph.place(str(path)))
    return resolve(judge(observation.events, all_rules()), observation)


def _files(folder: Path, name: str) -> tuple[Path, ...]:
    whole = folder / f"{name}.py"
    return (whole,) if whole.exists() else tuple(sorted((folder / name).rglob("*.py")))


def _said(program: tuple[Path, ...], threshold: Confidence = Confidence.POSSIBLE) -> dict[Spot, set[str]]:
    said: dict[Spot, set[str]] = {}
    for file, finding in _found(program):
        if finding.confidence.at_least(threshold):
            said.setdefault((file, finding.site.line), set()).add(finding.code)
    return said


@cache
def _found(program: tuple[Path, ...]) -> tuple[tuple[Path, Finding], ...]:
    """All findings in the files of a program, each with the file."""
    graph = ModuleGraph(Modules())
    return tuple((file, finding) for file in program for finding in findings(file, graph))


def _alarms(program: tuple[Path, ...], heard: frozenset[str], *expected: Marks) -> list[str]:
    alarms = {
        spot: (codes & heard).difference(*(marks.get(spot, ()) for marks in expected))
        for spot, codes in _said(program, Confidence.LIKELY).items()
    }
    return [
        f"{file}:{line}: {', '.join(sorted(codes))}"
        for (file, line), codes in sorted(alarms.items())
        if codes
    ]


def _marks(program: tuple[Path, ...], kind: str) -> Marks:
    return {
        (file, number): frozenset(mark["codes"].split("|"))
        for file in program
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        for mark in _MARK.finditer(line)
        if mark["kind"] == kind
    }


def _read(path: Path) -> dict[str, Any]:
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    read: dict[str, Any] = toml.loads(path.read_text(encoding="utf-8"))
    return read
