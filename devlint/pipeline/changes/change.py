"""Changing files for their findings, repeatedly, because one fix may make another one possible.

Changed texts are drafts, which all files see; the final texts are written.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from devlint.pipeline.files.failure import REPORT
from devlint.pipeline.session.documents import document_for
from devlint.pipeline.session.examine import digest_of
from devlint.pipeline.session.findings import settle
from devlint.pipeline.session.task import FileChange, FileOutcome, sure_enough
from devlint.project.discover import SourceFile, reason
from devlint.project.own_findings import UNREADABLE
from devlint.project.root import leads_out, root_of
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    from devlint.model import Finding
    from devlint.pipeline.files.document import Document
    from devlint.pipeline.selection.scope import ReportScope
    from devlint.pipeline.session.session import CheckSession

MAX_PASSES = 10
"""How many passes of fixes a text gets."""

Examine: TypeAlias = Callable[[Sequence[tuple[SourceFile, str]]], Iterable[FileOutcome]]
"""Examines files again."""


class FileChanges:
    """The changes of one run. `outcomes` are those of all files, with their findings."""

    def __init__(
        self, outcomes: Sequence[FileOutcome], session: CheckSession, examine: Examine, scope: ReportScope
    ) -> None:
        self._outcomes = outcomes
        self._session = session
        self._examine = examine
        self._scope = scope
        self._refused: set[str] = set()
        self._again: set[str] = set()
        """The files that another program changed meanwhile."""
        self._before: dict[str, Document] = {}
        """The original documents of changed files, by the names of the files."""
        self._data: dict[str, bytes] = {}
        """The known contents of the files."""

    def make(self) -> None:
        """Change the files, determine the remaining findings, and write the files if requested."""
        self._change()
        if self._write():
            self._change()
            self._write()
        for outcome in self._outcomes:
            if outcome.path in self._before:
                self._conclude(outcome)

    def _change(self) -> None:
        """Change the texts until nothing is left to change."""
        passes = MAX_PASSES if self._session.task.change is FileChange.FIX else 1
        for _ in range(passes):
            changed = list(self._pass())
            if not changed:
                return
            self._examine_anew(changed)
            broken = [each for each in changed if self._broken_by(each)]
            if broken:
                self._examine_anew(broken)
        if self._session.task.change is FileChange.FIX:
            self._note_unsettled()

    def _write(self) -> bool:
        """Write the changed files. Returns whether another program changed a file meanwhile, for the first
        time, so that the file is examined again."""
        if not self._session.task.write:
            return False
        drafted = [each for each in self._outcomes if each.path in self._before]
        unwritten = [each for each in drafted if not self._written(each)]
        if unwritten:
            self._examine_anew(unwritten)
        return any(not each.failure for each in unwritten)

    def _pass(self) -> Iterator[FileOutcome]:
        """Change each file once, if it has something to change."""
        for outcome in self._outcomes:
            if outcome.file is None or outcome.failure or outcome.path in self._refused:
                continue
            findings = self._asked(outcome, outcome.file)
            if not findings:
                continue
            if outcome.path not in self._before and not self._is_as_examined(outcome, outcome.file):
                yield outcome  # its findings are outdated, and determined again
                continue
            document = document_for(outcome, self._session)
            if document is None:
                continue
            new, chosen = self._changed(document, findings)
            if new.text == document.text:
                continue
            if outcome.path not in self._before:
                self._before[outcome.path] = document
                self._data[outcome.path] = self._session.read(outcome.file.path)
            outcome.changed.update(finding.code for finding in chosen)
            try:
                self._session.draft(outcome.file.path, new.to_bytes())
            except UnreadableSource as error:
                self._refuse(outcome, f"could not be written: {error.reason}")
            yield outcome

    def _is_as_examined(self, outcome: FileOutcome, file: SourceFile) -> bool:
        """Whether a file still has the examined content, which is then used until the file is written."""
        try:
            data = self._session.read(file.path)
        except OSError:
            return False
        if digest_of(data) != outcome.examined:
            return False
        self._session.drafts[str(file.path)] = data
        return True

    def _asked(self, outcome: FileOutcome, file: SourceFile) -> list[Finding]:
        """The findings for which to change a file."""
        findings, _ = sure_enough(outcome.findings, file.settings.confidence)
        return self._scope.to_change(outcome, findings)

    def _changed(self, document: Document, findings: list[Finding]) -> tuple[Document, list[Finding]]:
        if self._session.task.change is FileChange.IGNORE:
            from devlint.pipeline.changes.ignore import with_ignores  # noqa: PLC0415

            return with_ignores(document, findings)
        from devlint.pipeline.changes.fix import with_fixes  # noqa: PLC0415

        return with_fixes(document, findings, unsafe=self._session.task.unsafe)

    def _broken_by(self, outcome: FileOutcome) -> bool:
        """Whether the changed text does not parse, so that all changes of the file are dropped."""
        if outcome.path not in self._before:
            return False
        if not any(finding.code == UNREADABLE for finding in outcome.findings):
            return False
        codes = ", ".join(sorted(outcome.changed))
        ignoring = self._session.task.change is FileChange.IGNORE
        what = "adding suppressions" if ignoring else f"a fix for {codes}"
        why = f"{what} would leave code that does not parse ({REPORT})"
        self._refuse(outcome, why)
        return True

    def _refuse(self, outcome: FileOutcome, why: str) -> None:
        """Undo the changes of a file."""
        self._refused.add(outcome.path)
        del self._before[outcome.path]
        outcome.failure = f"{outcome.path}: {why}; nothing was changed"
        outcome.changed.clear()
        if outcome.file is not None:
            self._session.draft(outcome.file.path, self._data[outcome.path])

    def _written(self, outcome: FileOutcome) -> bool:
        """Write a file; False if that fails."""
        assert outcome.file is not None
        from devlint.pipeline.files.write import ChangedFileError, replace_file  # noqa: PLC0415  # few runs write

        path, after = outcome.file.path, self._session.read(outcome.file.path)
        if after == self._data[outcome.path]:
            return True
        try:
            self._require_home(outcome.file)
            replace_file(path, self._data[outcome.path], after)
        except ChangedFileError as error:
            if outcome.path in self._again:
                self._refuse(outcome, f"could not be written: {reason(error)}")
            else:
                self._start_over(outcome)
            return False
        except OSError as error:
            self._refuse(outcome, f"could not be written: {reason(error)}")
            return False
        self._data[outcome.path] = after
        return True

    def _require_home(self, file: SourceFile) -> None:
        """Reject writing through a link out of the project, unless the user passed the link."""
        if file.below is not None and leads_out(file.path, file.below, root_of(self._session.directory)):
            raise OSError(errno.EPERM, "it is a link that leads out of the project")

    def _start_over(self, outcome: FileOutcome) -> None:
        """Discard the changes of a file, and use its present content."""
        assert outcome.file is not None
        self._again.add(outcome.path)
        del self._before[outcome.path]
        outcome.changed.clear()
        self._session.draft(outcome.file.path, None)

    def _note_unsettled(self) -> None:
        for outcome in list(self._pass_would_change()):
            why = f"fixes still changed it after {MAX_PASSES} passes"
            outcome.failure = f"{outcome.path}: {why}; {REPORT}"

    def _pass_would_change(self) -> Iterator[FileOutcome]:
        for outcome in self._outcomes:
            if outcome.file is None or outcome.failure or outcome.path not in self._before:
                continue
            findings = self._asked(outcome, outcome.file)
            document = document_for(outcome, self._session)
            if document is not None and self._changed(document, findings)[0].text != document.text:
                yield outcome

    def _conclude(self, outcome: FileOutcome) -> None:
        assert outcome.file is not None
        document = document_for(outcome, self._session)
        outcome.before = self._before[outcome.path].text
        outcome.after = outcome.before if document is None else document.text
        if self._session.task.change is FileChange.IGNORE:
            left = self._asked(outcome, outcome.file)
            outcome.changed.subtract(finding.code for finding in left)
            outcome.changed = +outcome.changed

    def _examine_anew(self, changed: Iterable[FileOutcome]) -> None:
        """Examine changed files and those that depend on them, then determine the findings."""
        paths = {str(each.file.path) for each in changed if each.file is not None}
        anew = [
            (each.file, each.path)
            for each in self._outcomes
            if each.file is not None and (str(each.file.path) in paths or each.uses & paths)
        ]
        by_name = {each.path: each for each in self._outcomes}
        for fresh in self._examine(anew):
            known = by_name[fresh.path]
            known.analysis, known.uses, known.examined = fresh.analysis, fresh.uses, fresh.examined
            if fresh.failure:
                known.failure, known.trace = fresh.failure, fresh.trace
        settle(self._outcomes, self._session)
