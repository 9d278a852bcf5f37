"""Comparing findings with a baseline: which are known, and which of its entries are obsolete."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from devlint.model.fingerprint import Fingerprint
from devlint.project.own_findings import UNREADABLE
from devlint.report import SourceText
from devlint.report.fingerprint import fingerprint

if TYPE_CHECKING:
    from devlint.model import Finding
    from devlint.pipeline.session.session import CheckSession
    from devlint.pipeline.session.task import FileOutcome
    from devlint.project.baseline import Entries


class Split(NamedTuple):
    """The findings of a file that are not in the baseline, and the remaining entries."""

    new: list[Finding]
    known: list[Finding]
    left: Counter[Fingerprint]


def split(findings: Iterable[Finding], held: Counter[Fingerprint], source: SourceText | None) -> Split:
    """Separate known findings from new ones; each entry covers as many findings as its count.

    If the lines that lead to a finding have changed, its code and its own lines decide. An unreadable file is
    never known.
    """
    result = Split([], [], Counter(held))
    text = SourceText("") if source is None else source
    unsettled: list[tuple[Finding, Fingerprint]] = []
    for finding in findings:
        print_ = fingerprint(finding, text)
        if finding.code != UNREADABLE and result.left[print_] > 0:
            result.left[print_] -= 1
            result.known.append(finding)
        else:
            unsettled.append((finding, print_))
    for finding, print_ in unsettled:
        alike = _alike(print_, result.left) if finding.code != UNREADABLE else None
        if alike is None:
            result.new.append(finding)
        else:
            result.left[alike] -= 1
            result.known.append(finding)
    return Split(result.new, result.known, +result.left)


def _alike(wanted: Fingerprint, left: Counter[Fingerprint]) -> Fingerprint | None:
    same = (each for each, count in left.items() if count > 0 and each[:2] == wanted[:2])
    return next(same, None)


class Baseline:
    """The entries of one file."""

    def __init__(self, file: Path, entries: Entries) -> None:
        """`file` is absolute: the paths of its entries are relative to its directory."""
        self.file = file
        self.entries = entries

    def new(self, outcome: FileOutcome, findings: Iterable[Finding]) -> list[Finding]:
        """The findings of a file that are not in the baseline."""
        return split(findings, self._held(outcome), outcome.source).new

    def hold(self, outcomes: Iterable[FileOutcome], session: CheckSession) -> int:
        """Remove known findings from the outcomes.

        Returns the number of obsolete entries: those of rules that are on in checked files, and all of
        removed files.
        """
        gone = 0
        checked: set[str] = set()
        for outcome in outcomes:
            if outcome.file is None:
                continue
            checked.add(self._key(outcome.file.path))
            shown = split(outcome.findings, self._held(outcome), outcome.source)
            unsure = split(outcome.unsure, shown.left, outcome.source)
            outcome.findings, outcome.known = shown.new, len(shown.known)
            gone += _judged(unsure.left, outcome, session).total()
        return gone + sum(self.entries[path].total() for path in self._lost(checked))

    def renewed(self, outcomes: Sequence[FileOutcome], session: CheckSession) -> Baseline:
        """A baseline of all findings of the outcomes, with the entries of this one for other files."""
        entries: dict[str, Counter[Fingerprint]] = {}
        checked: set[str] = set()
        for outcome in outcomes:
            if outcome.file is None:
                continue
            path = self._key(outcome.file.path)
            checked.add(path)
            held = self._held(outcome)
            text = SourceText("") if outcome.source is None else outcome.source
            found = (finding for finding in outcome.findings if finding.code != UNREADABLE)
            entries[path] = held - _judged(held, outcome, session)
            entries[path].update(fingerprint(finding, text) for finding in found)
        gone = checked | set(self._lost(checked))
        entries |= {path: held for path, held in self.entries.items() if path not in gone}
        return Baseline(self.file, {path: held for path, held in entries.items() if held})

    @property
    def total(self) -> int:
        """The number of findings in it."""
        return sum(held.total() for held in self.entries.values())

    def _held(self, outcome: FileOutcome) -> Counter[Fingerprint]:
        path = None if outcome.file is None else self._key(outcome.file.path)
        return self.entries.get(path or "", Counter())

    def _key(self, path: Path) -> str:
        try:
            return Path(os.path.relpath(path, self.file.parent)).as_posix()
        except ValueError:  # on another drive
            return path.as_posix()

    def _lost(self, checked: set[str]) -> list[str]:
        """The paths of removed files."""
        return [
            path for path in self.entries if path not in checked and not (self.file.parent / path).exists()
        ]


def _judged(held: Counter[Fingerprint], outcome: FileOutcome, session: CheckSession) -> Counter[Fingerprint]:
    """The entries that the check would have found if they existed."""
    if outcome.file is None or outcome.failure or any(each.code == UNREADABLE for each in outcome.findings):
        return Counter()
    on = session.rules(outcome.file).own
    return Counter({each: count for each, count in held.items() if each.code in on})
