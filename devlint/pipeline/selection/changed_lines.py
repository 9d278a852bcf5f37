"""The findings that a change touches: those on lines that it changed, and new ones in files that it changed.

A finding on another line of a changed file is new if it did not exist before. Therefore the previous versions
are checked, too: of the files for which that must be known, and of those whose programs lead there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from devlint.model.fingerprint import Fingerprint
from devlint.pipeline.selection.baseline import split
from devlint.pipeline.session.examine import examine_files
from devlint.pipeline.session.findings import settle
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import FileOutcome, Task
from devlint.project.discover import NOTEBOOK_SUFFIX, SUFFIXES
from devlint.project.own_findings import UNREADABLE
from devlint.report import SourceText
from devlint.report.fingerprint import fingerprint

if TYPE_CHECKING:
    from devlint.model import Finding, Site
    from devlint.project.git import Difference


class Touched:
    """The findings that a change touches. `rev` is the revision before it, as the user names it."""

    def __init__(self, rev: str, difference: Difference) -> None:
        self.rev = rev
        self._difference = difference

    def narrow(self, outcomes: Sequence[FileOutcome], session: CheckSession) -> int:
        """Reduce the outcomes to the findings that the change touches. Returns the number of the others.

        Raises: GitError: if git cannot show the previous version of a file.
        """
        others: dict[str, list[Finding]] = {}
        for outcome in outcomes:
            found = outcome.findings
            outcome.findings = [each for each in found if self._is_on_changed_line(each, outcome)]
            if len(outcome.findings) < len(found):
                others[outcome.path] = [each for each in found if each not in outcome.findings]
        compared = [outcome for outcome in outcomes if outcome.path in others and self._was_other(outcome)]
        before = self._before(compared, outcomes, session) if compared else {}
        for outcome in compared:
            new = split(others[outcome.path], before[outcome.path], outcome.source).new
            outcome.findings = sorted((*outcome.findings, *new), key=lambda finding: finding.sort_key)
            others[outcome.path] = [each for each in others[outcome.path] if each not in new]
        return sum(map(len, others.values()))

    def _is_on_changed_line(self, finding: Finding, outcome: FileOutcome) -> bool:
        """Whether the change contains the line. All lines of a new file are changed, and of a changed
        notebook, because git only knows the lines of its JSON. A file that cannot be read always counts."""
        if outcome.file is None or finding.code == UNREADABLE:
            return True
        path = self._difference.path_of(outcome.file.path)
        if path not in self._difference.tracked:
            return True
        if outcome.file.path.suffix == NOTEBOOK_SUFFIX:
            return path in self._difference.lines and path not in self._difference.origins
        return any(_meets(finding.site, lines) for lines in self._difference.lines.get(path, ()))

    def _was_other(self, outcome: FileOutcome) -> bool:
        """Whether a file existed before the change, and was changed."""
        file = outcome.file
        return file is not None and self._difference.path_of(file.path) in self._difference.origins

    def _before(
        self, compared: Sequence[FileOutcome], outcomes: Iterable[FileOutcome], session: CheckSession
    ) -> dict[str, Counter[Fingerprint]]:
        """The findings of some files before the change, by their names."""
        leading = [(each.file, each.path) for each in outcomes if each.file and _leads_to(each, compared)]
        suffixes = SUFFIXES | {file.path.suffix for file, _ in leading}
        root = self._difference.root
        drafts = {str(root / path): data for path, data in self._difference.contents(suffixes)}
        earlier = CheckSession(Task(), None, [file for file, _ in leading], session.directory, drafts)
        before = list(examine_files(leading, earlier))
        settle(before, earlier)
        return {outcome.path: _fingerprints(outcome) for outcome in before}


def _meets(site: Site, lines: range) -> bool:
    return bool(lines) and lines.start <= site.end_line and site.line < lines.stop


def _leads_to(outcome: FileOutcome, wanted: Sequence[FileOutcome]) -> bool:
    """Whether a file is one of these, or its program calls a function of one."""
    paths = {str(each.file.path) for each in wanted if each.file is not None}
    called = (*outcome.analysis.reached, *outcome.analysis.given)
    return outcome in wanted or any(path in paths for path, *_ in called)


def _fingerprints(outcome: FileOutcome) -> Counter[Fingerprint]:
    source = SourceText("") if outcome.source is None else outcome.source
    return Counter(fingerprint(finding, source) for finding in outcome.findings)
