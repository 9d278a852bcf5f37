"""Drafts and findings: the results of rules, first with references to sites, then with resolved sites."""

from __future__ import annotations

from enum import Enum

from devlint.model.confidence import Confidence
from devlint.model.edit import Fix, FixRequest
from devlint.model.site import Site, SiteId
from devlint.model.value import ordered, value


class Severity(Enum):
    """How serious a finding is."""

    ERROR = "error"
    """On an accelerator, the program raises an error or silently uses the wrong device."""
    WARNING = "warning"
    """The program waits, copies, or depends on one kind of machine."""


@value
class Note:
    """A related site and what happened there; with `label`, it is marked in the frame of the primary site."""

    site: SiteId
    message: str
    label: bool = False


@value
class Draft:
    """A finding whose sites are still references."""

    code: str
    message: str
    site: SiteId
    notes: tuple[Note, ...] = ()
    help: str = ""
    """The remedy, in one line."""
    fix: FixRequest | None = None
    cause: SiteId | None = None
    """The cause of the finding. Of several drafts with one cause, that of the most specific rule is kept,
    unless it is less certain."""
    confidence: Confidence | None = None
    """The confidence of the rule, if lower than that of the event; usually None, which means that of the
    event."""
    affects: tuple[SiteId, ...] = ()
    """Further places with the same cause, which have neither a finding nor a note of their own."""


@ordered
class Related:
    """A related site, resolved."""

    site: Site
    message: str
    label: bool = False


@value
class Observed:
    """The measurements of a run: count, waiting time in seconds, copied bytes."""

    count: int
    seconds: float | None = None
    bytes: int | None = None
    estimated: bool = False
    """Whether the numbers are estimated from a part of the run's steps."""
    usual: bool = False
    """Whether nearly every program does it, so that it is reported as advice."""
    ranks: tuple[tuple[int, Observed], ...] = ()
    """The measurements of each rank of a distributed program, if several were merged."""
    callers: tuple[Site, ...] = ()
    """For a place in an installed package, the nearest lines of the program that led there."""


class InRun(Enum):
    """The verdict of a run on a finding of a check."""

    SEEN = "seen in the run"
    NOT_REACHED = "not reached in the run"
    CONTRADICTED = "contradicted by the run"
    """Its lines were run, and nothing of the kind happened."""


@value
class Finding:
    """A reported problem, with resolved places."""

    code: str
    name: str
    message: str
    site: Site
    severity: Severity
    related: tuple[Related, ...] = ()
    help: str = ""
    fix: Fix | None = None
    observed: Observed | None = None
    confidence: Confidence = Confidence.CERTAIN
    in_run: InRun | None = None
    """The verdict of the run with which the check is compared; None without a run or a verdict."""

    @property
    def sort_key(self) -> tuple[str, int, int, int, str, str]:
        """The order of every report: by file, then cell, line, column and code."""
        site = self.site
        return (site.path, site.cell or 0, site.line, site.column, self.code, self.message)
