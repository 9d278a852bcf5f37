"""Changing files for what was found in them, again and again, because one fix may make another possible.

Meanwhile the changed texts are drafts, which all files see; what stands in the end is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from devlint.pipeline.failure import ISSUES
from devlint.pipeline.settle import settle
from devlint.pipeline.task import Change, Outcome, sure_enough
from devlint.pipeline.texts import document_for
from devlint.project.discover import SourceFile, reason
from devlint.project.own_findings import UNREADABLE
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    from devlint.model import Finding
    from devlint.pipeline.document import Document
    from devlint.pipeline.scope import Scope
    from devlint.pipeline.session import Session

MAX_PASSES = 10
"""How often a text is fixed anew, because one fix made another one possible."""

Examine: TypeAlias = Callable[[Sequence[tuple[SourceFile, str]]], Iterable[Outcome]]
"""What examines files anew."""


class Changes:
    """The changes of one run. The outcomes are those of all files, settled."""

    def __init__(self, outcomes: Sequence[Outcome], session: Session, examine: Examine, scope: Scope) -> None:
        self._outcomes = outcomes
        self._session = session
        self._examine = examine
        self._scope = scope
        self._refused: set[str] = set()
        self._before: dict[str, Document] = {}
        """The documents that were changed, as they were, by the names of their files."""
        self._data: dict[str, bytes] = {}

    def make(self) -> None:
        """Change the files, settle what is left to say of them, and write them if so wanted."""
        passes = MAX_PASSES if self._session.task.change is Change.FIX else 1
        for _ in range(passes):
            changed = list(self._pass())
            if not changed:
                break
            self._examine_anew(changed)
            broken = [each for each in changed if self._broken_by(each)]
            if broken:
                self._examine_anew(broken)
        else:
            if self._session.task.change is Change.FIX:
                self._note_unsettled()
        refused = [each for each in self._outcomes if each.path in self._before and not self._written(each)]
        if refused:
            self._examine_anew(refused)
        for outcome in self._outcomes:
            if outcome.path in self._before:
                self._conclude(outcome)

    def _pass(self) -> Iterator[Outcome]:
        """Change each file once, where there is something to change."""
        for outcome in self._outcomes:
            if outcome.file is None or outcome.failure or outcome.path in self._refused:
                continue
            findings = self._asked(outcome, outcome.file)
            document = document_for(outcome, self._session) if findings else None
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

    def _asked(self, outcome: Outcome, file: SourceFile) -> list[Finding]:
        """The findings for which a file is to be changed."""
        findings, _ = sure_enough(outcome.findings, file.settings.confidence)
        return self._scope.to_change(outcome, findings)

    def _changed(self, document: Document, findings: list[Finding]) -> tuple[Document, list[Finding]]:
        if self._session.task.change is Change.IGNORE:
            from devlint.pipeline.ignore import with_ignores  # noqa: PLC0415

            return with_ignores(document, findings)
        from devlint.pipeline.fix import with_fixes  # noqa: PLC0415

        return with_fixes(document, findings, unsafe=self._session.task.unsafe)

    def _broken_by(self, outcome: Outcome) -> bool:
        """Whether a change has left no Python, so that no change of the file may be kept."""
        if not any(finding.code == UNREADABLE for finding in outcome.findings):
            return False
        codes = ", ".join(sorted(outcome.changed))
        ignoring = self._session.task.change is Change.IGNORE
        what = "adding suppressions" if ignoring else f"a fix for {codes}"
        why = f"{what} would leave code that does not parse (please report it: {ISSUES})"
        self._refuse(outcome, why)
        return True

    def _refuse(self, outcome: Outcome, why: str) -> None:
        """Take back what was changed in a file."""
        self._refused.add(outcome.path)
        del self._before[outcome.path]
        outcome.failure = f"{outcome.path}: {why}; nothing was changed"
        outcome.changed.clear()
        if outcome.file is not None:
            self._session.draft(outcome.file.path, self._data[outcome.path])

    def _written(self, outcome: Outcome) -> bool:
        """Write a file if so wanted; False if that cannot be."""
        if not self._session.task.write or outcome.file is None:
            return True
        from devlint.pipeline.write import replace_file  # noqa: PLC0415  # few runs write

        try:
            replace_file(outcome.file.path, self._data[outcome.path], self._session.read(outcome.file.path))
        except OSError as error:
            self._refuse(outcome, f"could not be written: {reason(error)}")
            return False
        return True

    def _note_unsettled(self) -> None:
        for outcome in list(self._pass_would_change()):
            why = f"fixes still changed it after {MAX_PASSES} passes"
            outcome.failure = f"{outcome.path}: {why}. Please report it: {ISSUES}"

    def _pass_would_change(self) -> Iterator[Outcome]:
        for outcome in self._outcomes:
            if outcome.file is None or outcome.failure or outcome.path not in self._before:
                continue
            findings = self._asked(outcome, outcome.file)
            document = document_for(outcome, self._session)
            if document is not None and self._changed(document, findings)[0].text != document.text:
                yield outcome

    def _conclude(self, outcome: Outcome) -> None:
        assert outcome.file is not None
        document = document_for(outcome, self._session)
        outcome.before = self._before[outcome.path].text
        outcome.after = outcome.before if document is None else document.text
        if self._session.task.change is Change.IGNORE:
            left = self._asked(outcome, outcome.file)
            outcome.changed.subtract(finding.code for finding in left)
            outcome.changed = +outcome.changed

    def _examine_anew(self, changed: Iterable[Outcome]) -> None:
        """Examine what was changed, and what rests on it; then settle."""
        paths = {str(each.file.path) for each in changed if each.file is not None}
        anew = [
            (each.file, each.path)
            for each in self._outcomes
            if each.file is not None and (str(each.file.path) in paths or each.uses & paths)
        ]
        by_name = {each.path: each for each in self._outcomes}
        for fresh in self._examine(anew):
            known = by_name[fresh.path]
            known.analysis, known.uses = fresh.analysis, fresh.uses
            if fresh.failure:
                known.failure, known.trace = fresh.failure, fresh.trace
        settle(self._outcomes, self._session)
