"""The task of a check, and the outcome of each file."""

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
    """What to do with findings besides reporting them."""

    NOTHING = "nothing"
    FIX = "fix"
    """Apply the requested fixes."""
    IGNORE = "ignore"
    """Add a suppression for each."""


class Task(NamedTuple):
    """The task of a check."""

    change: FileChange = FileChange.NOTHING
    unsafe: bool = False
    """Whether unsafe fixes are requested."""
    write: bool = True
    """Whether changes are written to the files."""
    silenced: bool = False
    """Whether to report what was withheld, too."""
    noqa: bool = True
    """Whether `# noqa` suppresses; flake8 handles it itself."""


class FileOutcome:
    """The outcome of one file: what it shows as a program, then its findings."""

    def __init__(self, path: str, file: SourceFile | None = None, analysis: Analysis | None = None) -> None:
        self.path = path
        """Its name in reports."""
        self.file = file
        """None if it is not a file, but an unreadable directory, for example."""
        self.analysis = Analysis() if analysis is None else analysis
        self.uses: frozenset[str] = frozenset()
        """The paths of the files on which the analysis depends, if it is not from the cache."""
        self.examined = b""
        """A digest of the file's content, if the file may be changed for its findings."""
        self.findings: list[Finding] = []
        """The findings in the file, from all programs."""
        self.unsure: list[Finding] = []
        """The findings below the requested confidence."""
        self.known = 0
        """How many findings are not shown because the baseline contains them."""
        self.withheld: list[Withheld] = []
        """What was withheld, with the reasons, if requested."""
        self.source: SourceText | None = None
        self.changed: Counter[str] = Counter()
        """How many findings were fixed, or newly ignored, by code."""
        self.before = ""
        self.after = ""
        """The text before and after changes."""
        self.failure = ""
        """The internal error, or the error of writing, in one line; empty if there is none."""
        self.trace = ""
        """The traceback of an internal error."""

    def show(self, threshold: str) -> None:
        """Move findings below a threshold of confidence to `unsure`."""
        if not self.findings:
            return
        self.findings, self.unsure = sure_enough(self.findings, threshold)


def sure_enough(findings: Iterable[Finding], threshold: str) -> tuple[list[Finding], list[Finding]]:
    """The findings with at least the confidence of a threshold, and the others."""
    from devlint.model import Confidence  # noqa: PLC0415  # most files have no finding

    least = Confidence(threshold)
    shown: list[Finding] = []
    below: list[Finding] = []
    for finding in findings:
        (shown if finding.confidence.at_least(least) else below).append(finding)
    return shown, below
