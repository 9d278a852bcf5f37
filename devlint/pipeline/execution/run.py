"""Checking many files, and combining the outcomes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from devlint.pipeline.analysis.analysis import Analysis, Claim
from devlint.pipeline.selection.scope import ReportScope
from devlint.pipeline.session.examine import cache_of, examine_files, recall
from devlint.pipeline.session.findings import settle
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import FileChange, FileOutcome, Task
from devlint.project.configuration import Configurations
from devlint.project.discover import Discovery, SourceFile, discover
from devlint.project.own_findings import unreadable
from devlint.report import Report, SourceText
from devlint.report.report import Weighed

if TYPE_CHECKING:
    from devlint.model import Finding, Withheld
    from devlint.pipeline.changes.change import Examine
    from devlint.pipeline.execution.shard import Shards, Terms
    from devlint.project.cache import Cache
    from devlint.project.settings import Settings

STDIN = "-"
"""The path for standard input, and its default name in reports."""


class Result:
    """The result of a whole check."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.failures: list[FileOutcome] = []
        """The files on which devlint failed."""
        self.cut_short: list[str] = []
        """The files whose program exceeded the budget of steps, by their names in reports."""
        self.missing: list[str] = []
        """Given paths that do not exist."""
        self.outcomes: list[FileOutcome] = []
        """The outcomes of the files that were changed, or would be."""
        self.changed: dict[str, Counter[str]] = {}
        """How many findings were fixed, or newly ignored, by path and code."""
        self.withheld: list[Withheld] = []
        """What was withheld, in order, if requested."""
        self.output = b""
        """Standard input after changes, if it was checked."""

    @property
    def patches(self) -> Iterator[str]:
        """The patches of the files that were changed, or would be."""
        from devlint.report.patch import patch  # noqa: PLC0415  # few runs show one

        for outcome in self.outcomes:
            yield patch(outcome.path, outcome.before, outcome.after)


class Run:
    """A check of the files below some paths; iterating over `outcomes` does the work.

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
        scope: ReportScope | None = None,
        scheduler: str | None = None,
    ) -> None:
        """`jobs` is the largest number of processes; None means the number of cores. `scheduler` is the
        address of a Dask cluster whose workers examine the files instead."""
        self._found: Discovery = discover(paths, configurations)
        self._files = self._found.files
        directory = configurations.working_directory
        self._session = CheckSession(task, cache, self._found.files, directory)
        self._scope = ReportScope() if scope is None else scope
        self._jobs = jobs
        self._scheduler = scheduler

    @property
    def total(self) -> int:
        """The number of files to check."""
        return len(self._files)

    def divide(self, number: int, count: int) -> None:
        """Only examine the files of one of so many shards; the first has number 1."""
        from devlint.pipeline.execution.shard import files_of  # noqa: PLC0415  # few runs are divided

        self._files = files_of(self._files, number, count, self._session)

    def shard(
        self, outcomes: Iterable[FileOutcome], number: int, count: int, terms: Terms
    ) -> tuple[str, Result]:
        """The outcomes of one shard as a file, and the result to report at once: the failures."""
        from devlint.pipeline.execution.shard import written  # noqa: PLC0415

        outcomes = list(outcomes)
        text = written(outcomes, self._session, number, count, self._blocked(), terms)
        failed = gather([each for each in outcomes if each.failure], self._session.task, self._found.missing)
        return text, failed

    def outcomes(self) -> Iterator[FileOutcome]:
        """Examine the files; in any order if there are several processes.

        Raises:
            ConfigurationError: if there is a scheduler, and its cluster cannot be used.
        """
        named = [(file, self._session.name(str(file.path))) for file in self._files]
        cache = cache_of(self._session)
        if cache is not None and len(named) > 1 and self._jobs != 1:
            unknown = []
            for file, name in named:
                outcome = recall(file, name, self._session, cache)
                if outcome is None:
                    unknown.append((file, name))
                else:
                    yield outcome
            named = unknown
        if self._scheduler is not None and named:
            from devlint.pipeline.execution.cluster import connected, examine_there  # noqa: PLC0415  # imports Dask

            with connected(self._scheduler) as executor:
                yield from examine_there(executor, named, self._session)
            return
        yield from self._examined(named)

    def result(self, outcomes: Iterable[FileOutcome]) -> Result:
        """The result of the outcomes, and of the paths that could not be read.

        Files are only changed here, when the results of all of them are known.
        """
        extra = [
            FileOutcome(name, analysis=Analysis([Claim(unreadable(name, why))]))
            for name, why in self._blocked()
        ]
        missing = self._found.missing
        return finish([*outcomes, *extra], self._session, self._examined, missing, self._scope)

    def _blocked(self) -> list[tuple[str, str]]:
        """The paths that could not be read, and why."""
        return [(self._session.name(str(path)), why) for path, why in self._found.unreadable]

    def _examined(self, named: Sequence[tuple[SourceFile, str]]) -> Iterable[FileOutcome]:
        if len(named) < 2 or self._jobs == 1:
            return examine_files(named, self._session)
        from devlint.pipeline.execution.processes import examine_all  # noqa: PLC0415  # slow to import

        return examine_all(named, self._session, self._jobs)


def check_file(file: SourceFile, name: str, task: Task) -> FileOutcome:
    """Check one file, independently of others."""
    session = CheckSession(task, None, [file])
    outcomes = list(examine_files([(file, name)], session))
    finish(outcomes, session, lambda named: examine_files(named, session), (), ReportScope())
    return outcomes[0]


def check_stdin(
    data: bytes, name: str, configurations: Configurations, task: Task, scope: ReportScope | None = None
) -> Result:
    """Check text from standard input as the content of a file of that name.

    Raises: ConfigurationError: if the configuration of the name is invalid.
    """
    path = Path(os.path.abspath(configurations.working_directory / name))  # noqa: PTH100  # keeps links
    file = SourceFile(path, configurations.at(path.parent))
    if file.settings.force_exclude and file.settings.excludes(path):
        untouched = Result(Report(checked=1))
        untouched.output = data
        return untouched
    session = CheckSession(
        task._replace(write=False), None, [file], configurations.working_directory, {str(path): data}
    )
    shown = name if name == STDIN else session.name(str(path))
    outcomes = examine_files([(file, shown)], session)
    scope = ReportScope() if scope is None else scope
    result = finish(list(outcomes), session, lambda named: examine_files(named, session), (), scope)
    result.output = session.read(path) if task.write else data
    return result


def together(shards: Shards, directory: Path, scope: ReportScope) -> Result:
    """The result of the shards of one check, with paths from a working directory.

    Raises:
        ShardError: if a shard is damaged.
    """
    outcomes, session = shards.outcomes(directory)
    return finish(outcomes, session, lambda _: (), (), scope)


def finish(
    outcomes: Sequence[FileOutcome],
    session: CheckSession,
    examine: Examine,
    missing: Iterable[str],
    scope: ReportScope,
) -> Result:
    """Determine the reported findings of each file, after changes if these are requested."""
    outcomes = sorted(outcomes, key=lambda outcome: outcome.path)
    settle(outcomes, session)
    if session.task.change is not FileChange.NOTHING:
        from devlint.pipeline.changes.change import FileChanges  # noqa: PLC0415  # few runs change something

        FileChanges(outcomes, session, examine, scope).make()
    if any(outcome.findings or outcome.withheld for outcome in outcomes):
        from devlint.pipeline.session.notebook_positions import count_in_cells  # noqa: PLC0415  # most runs find nothing

        count_in_cells(outcomes, session)
    if scope.evidence is not None:
        scope.evidence.weigh(outcomes)
    for outcome in outcomes:
        if outcome.file is not None:
            outcome.show(outcome.file.settings.confidence)
    held, untouched = scope.narrow(outcomes, session)
    result = gather(outcomes, session.task, missing)
    result.report = result.report._replace(held=held, untouched=untouched)
    if scope.evidence is not None:
        from devlint.pipeline.selection.evidence import by_cost  # noqa: PLC0415  # few checks have a run beside them

        said = Weighed(scope.evidence.name, tuple(scope.evidence.remarks))
        result.report = result.report._replace(findings=by_cost(result.report.findings), weighed=said)
    return result


def gather(outcomes: Iterable[FileOutcome], task: Task, missing: Iterable[str]) -> Result:
    """Combine the outcomes of all files."""
    findings: list[Finding] = []
    sources: dict[str, SourceText] = {}
    changed: dict[str, Counter[str]] = {}
    below: Counter[str] = Counter()
    withheld: list[Withheld] = []
    failures: list[FileOutcome] = []
    rewritten: list[FileOutcome] = []
    checked = 0
    outcomes = list(outcomes)
    for outcome in outcomes:
        checked += 1
        findings += outcome.findings
        below.update(finding.confidence.value for finding in outcome.unsure)
        withheld += outcome.withheld
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
        fixed=changed if task.change is FileChange.FIX else {},
        unsafe_fixes=task.unsafe,
        complete=not failures and not missing,
        below=below,
        rules=frozenset().union(*(settings.rules for settings in _settings(outcomes))),
    )
    result = Result(report)
    result.withheld = sorted(withheld, key=lambda each: (each.finding.sort_key, each.silence.value))
    result.cut_short = sorted(outcome.path for outcome in outcomes if outcome.analysis.is_cut_short)
    result.failures, result.missing, result.outcomes, result.changed = failures, missing, rewritten, changed
    return result


def _settings(outcomes: Iterable[FileOutcome]) -> Iterable[Settings]:
    """The settings of the files, each once."""
    found = (outcome.file.settings for outcome in outcomes if outcome.file is not None)
    return {id(settings): settings for settings in found}.values()
