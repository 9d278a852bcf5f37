"""The outcome of a suite: each test on the CPU and lifted, and the reported mistakes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a suite."""

    passed: frozenset[str]
    failed: Mapping[str, str]
    """Tests that fail, with the first line of their error."""
    named: frozenset[str]
    """Tests in which a mistake of the library was named."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Two runs of one suite: as it is, and lifted."""

    plain: Run
    lifted: Run
    places: tuple[str, ...]
    """Mistakes, `file:line code`."""

    @property
    def lost(self) -> frozenset[str]:
        """Tests that pass on the CPU and not lifted, in which no mistake of the library was named."""
        return self.plain.passed - self.lifted.passed - self.lifted.named


def outcome(plain: Path, lifted: Path, report: Path) -> Outcome:
    """The outcome, from two files of JUnit and the report of the lifted run."""
    data: dict[str, Any] = json.loads(report.read_text("utf-8"))
    places = tuple(
        f"{Path(each['filename']).name}:{each['location']['row']} {each['code']}" for each in data["mistakes"]
    )
    return Outcome(read(plain), read(lifted), places)


def read(path: Path) -> Run:
    """A run, from its file of JUnit."""
    cases = list(_cases(path))
    return Run(
        frozenset(name for name, case in cases if not _is_unsuccessful(case)),
        {name: error for name, case in cases if (error := _error(case)) is not None},
        frozenset(
            name for name, case in cases if case.find("properties/property[@name='devlint']") is not None
        ),
    )


def _cases(path: Path) -> Iterator[tuple[str, ET.Element]]:
    for case in ET.parse(path).iter("testcase"):
        yield f"{case.get('classname')}::{case.get('name')}", case


def _error(case: ET.Element) -> str | None:
    """The first line of what a test fails with."""
    for kind in ("failure", "error"):
        if (found := case.find(kind)) is not None:
            return (found.get("message") or "").partition("\n")[0]
    return None


def _is_unsuccessful(case: ET.Element) -> bool:
    return any(case.find(kind) is not None for kind in ("failure", "error", "skipped"))
