"""Checking many files, and what all of it comes to."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from devlint.pipeline.recall import check_files, recall
from devlint.pipeline.session import Session
from devlint.pipeline.task import Change, Outcome, Task
from devlint.project.configuration import Configurations
from devlint.project.discover import Discovery, SourceFile, discover
from devlint.project.own_findings import unreadable
from devlint.report import Report, SourceText

if TYPE_CHECKING:
    from devlint.model import Finding
    from devlint.pipeline.document import Document
    from devlint.project.cache import Cache

STDIN = "-"
"""The path that stands for standard input, and its name in reports unless another one is given."""


class Result:
    """What a whole run comes to."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.failures: list[Outcome] = []
        """The files that devlint failed on."""
        self.missing: list[str] = []
        """Paths that were named and do not exist."""
        self.outcomes: list[Outcome] = []
        """What came of each file that was changed, or would be."""
        self.changed: dict[str, Counter[str]] = {}
        """How many findings were fixed, or newly ignored, by path and code."""
        self.output = b""
        """Standard input after changes, where that was checked."""

    @property
    def patches(self) -> Iterator[str]:
        """What was changed, or would be, file by file."""
        from devlint.report.patch import patch  # noqa: PLC0415  # few runs show one

        for outcome in self.outcomes:
            yield patch(outcome.path, outcome.before, outcome.after)


class Run:
    """A run over the files below some paths; iterating over `outcomes` does the work.

    Raises:
        ConfigurationError: if the configuration that holds for a path makes no sense.
    """

    def __init__(
        self,
        paths: Iterable[str],
        configurations: Configurations,
        task: Task,
        cache: Cache | None = None,
        jobs: int | None = 1,
    ) -> None:
        """`jobs` is how many processes may run; as many as the machine has cores for where it is None."""
        self._directory = configurations.working_directory
        self._found: Discovery = discover(paths, configurations)
        self._task = task
        self._cache = cache
        self._jobs = jobs

    @property
    def total(self) -> int:
        """How many files there are to check."""
        return len(self._found.files)

    def outcomes(self) -> Iterator[Outcome]:
        """Check the files; in any order if several processes do it."""
        named = [(file, self._name(file.path)) for file in self._found.files]
        session = Session(self._task, self._cache)
        if len(named) < 2 or self._jobs == 1:
            yield from check_files(named, session)
            return
        if self._cache is not None and self._task.change is Change.NOTHING:
            unknown = []
            for file, name in named:
                outcome = recall(file, name, session, self._cache)
                if outcome is None:
                    unknown.append((file, name))
                else:
                    yield outcome
            named = unknown
        if named:
            from devlint.pipeline.parallel import check_all  # noqa: PLC0415  # slow to import

            yield from check_all(named, session, self._jobs)

    def result(self, outcomes: Iterable[Outcome]) -> Result:
        """What the outcomes, and the paths that could not be looked into, come to."""
        blocked = [(self._name(path), why) for path, why in self._found.unreadable]
        extra = [Outcome(name, [unreadable(name, why)]) for name, why in blocked]
        return gather(chain(outcomes, extra), self._task, self._found.missing)

    def _name(self, path: Path) -> str:
        return shown_path(path, self._directory)


def check_stdin(data: bytes, name: str, configurations: Configurations, task: Task) -> Result:
    """Check text that was piped in, as if it lay in a file of that name.

    Raises:
        ConfigurationError: if the configuration that holds for the name makes no sense.
    """
    from devlint.pipeline.file import check_data  # noqa: PLC0415

    path = Path(os.path.abspath(configurations.working_directory / name))  # noqa: PTH100  # keeps links
    file = SourceFile(path, configurations.at(path.parent))
    if file.settings.force_exclude and file.settings.excludes(path):
        untouched = Result(Report(checked=1))
        untouched.output = data
        return untouched
    output = data

    def keep(document: Document) -> None:
        nonlocal output
        output = document.to_bytes()

    shown = name if name == STDIN else shown_path(path, configurations.working_directory)
    result = gather([check_data(data, file, shown, Session(task), keep)], task, ())
    result.output = output
    return result


def gather(outcomes: Iterable[Outcome], task: Task, missing: Iterable[str]) -> Result:
    """Put the outcomes of all files together."""
    findings: list[Finding] = []
    sources: dict[str, SourceText] = {}
    changed: dict[str, Counter[str]] = {}
    failures: list[Outcome] = []
    rewritten: list[Outcome] = []
    checked = 0
    for outcome in outcomes:
        checked += 1
        findings += outcome.findings
        if outcome.findings and outcome.source is not None:
            sources[outcome.path] = outcome.source
        if outcome.changed:
            changed[outcome.path] = outcome.changed
        if outcome.failure:
            failures.append(outcome)
        if outcome.before != outcome.after:
            rewritten.append(outcome)
    failures.sort(key=lambda outcome: outcome.path)
    rewritten.sort(key=lambda outcome: outcome.path)
    missing = list(missing)
    report = Report(
        findings=sorted(findings, key=lambda finding: finding.sort_key),
        sources=sources,
        checked=checked,
        fixed=changed if task.change is Change.FIX else {},
        unsafe_fixes=task.unsafe,
        complete=not failures and not missing,
    )
    result = Result(report)
    result.failures, result.missing, result.outcomes, result.changed = failures, missing, rewritten, changed
    return result


def shown_path(path: Path, directory: Path) -> str:
    """A path as reports name it: relative where it lies below the working directory."""
    return str(path.relative_to(directory)) if path.is_relative_to(directory) else str(path)
