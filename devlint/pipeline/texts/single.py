"""Checking texts one at a time, independently, as for linters that pass single files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from devlint.pipeline.execution.run import finish
from devlint.pipeline.selection.scope import ReportScope
from devlint.pipeline.session.examine import examine_files
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import Task
from devlint.project.configuration import Configurations
from devlint.project.discover import SourceFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from devlint.model import Finding
    from devlint.pipeline.selection.baseline import Baseline
    from devlint.project.cache import Cache


class FailedError(Exception):
    """devlint failed on a text. The message is one line."""


class Alone:
    """Checks single texts. The files that they import are read once."""

    def __init__(
        self,
        configurations: Configurations,
        task: Task,
        cache: Cache | None = None,
        baseline: Baseline | None = None,
    ) -> None:
        self._configurations = configurations
        self._task = task
        self._cache = cache
        self._baseline = baseline
        self._session = self._with({})

    def _with(self, drafts: dict[str, bytes]) -> CheckSession:
        directory = self._configurations.working_directory
        return CheckSession(self._task, self._cache, directory=directory, drafts=drafts)

    def check(self, path: Path, data: bytes, *, on_disk: bool) -> Sequence[Finding]:
        """The findings of a file with this content; `on_disk` says whether the file on the disk has it.

        A file that the configuration excludes has no findings, because the calling linter did not select it
        for devlint.

        Raises: ConfigurationError: if the configuration of the path is invalid. FailedError: if devlint
            failed.
        """
        settings = self._configurations.at(path.parent)
        if settings.excludes(path):
            return ()
        file = SourceFile(path, settings)
        session = self._session if on_disk else self._with({str(path): data})
        named = [(file, session.name(str(path)))]
        outcomes = list(examine_files(named, session))
        result = finish(
            outcomes, session, lambda again: examine_files(again, session), (), ReportScope(self._baseline)
        )
        if result.failures:
            raise FailedError(result.failures[0].failure)
        return result.report.findings
