"""What to do with the files, and what came of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from devlint.pipeline.analysis.analysis import Analysis

if TYPE_CHECKING:
    from devlint.model import Finding, Withheld
    from devlint.project.discover import SourceFile
    from devlint.report import SourceText


class FileChange(Enum):
    """What to do about findings besides reporting them."""

    NOTHING = "nothing"
    FIX = "fix"
    """Apply the fixes that are asked for."""
    IGNORE = "ignore"
    """Add a suppression for each."""


class Task(NamedTuple):
    """What to do with the files."""

    change: FileChange = FileChange.NOTHING
    unsafe: bool = False
    """Whether unsafe fixes are asked for."""
    write: bool = True
    """Whether what changes is written to the files."""
    silenced: bool = False
    """Whether to say what was withheld too."""
    noqa: bool = True
    """Whether `# noqa` suppresses; flake8 sees to it itself."""


class FileOutcome:
    """What came of one file: what it shows as a program, then what is to be said of it."""

    def __init__(self, path: str, file: SourceFile | None = None, analysis: Analysis | None = None) -> None:
        self.path = path
        """As reports name it."""
        self.file = file
        """None for what is no file, a directory that cannot be looked into say."""
        self.analysis = Analysis() if analysis is None else analysis
        self.uses: frozenset[str] = frozenset()
        """The paths of the files on which the analysis rests, if it was made just now."""
        self.examined = b""
        """A digest of what the file held, where it may be changed for what was found."""
        self.findings: list[Finding] = []
        """What stands in the file, whatever program shows it."""
        self.unsure: list[Finding] = []
        """What is less sure than what is shown."""
        self.known = 0
        """How many findings are not shown because the baseline holds them."""
        self.withheld: list[Withheld] = []
        """What was withheld, with the reasons, where that was asked for."""
        self.source: SourceText | None = None
        self.changed: Counter[str] = Counter()
        """How many findings were fixed, or newly ignored, by code."""
        self.before = ""
        self.after = ""
        """The text before and after changes."""
        self.failure = ""
        """What went wrong in devlint or in writing, in one line; empty if nothing did."""
        self.trace = ""
        """The traceback that belongs to the failure, if it is devlint's own."""

    def show(self, threshold: str) -> None:
        """Leave out the findings that are less sure than that."""
        if not self.findings:
            return
        self.findings, self.unsure = sure_enough(self.findings, threshold)


def sure_enough(findings: Iterable[Finding], threshold: str) -> tuple[list[Finding], list[Finding]]:
    """The findings that are at least as sure as a threshold, and the others."""
    from devlint.model import Confidence  # noqa: PLC0415  # most files have no finding

    least = Confidence(threshold)
    shown: list[Finding] = []
    below: list[Finding] = []
    for finding in findings:
        (shown if finding.confidence.at_least(least) else below).append(finding)
    return shown, below
