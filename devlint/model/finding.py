"""What a rule says: first with references to sites, then with the sites resolved."""

from __future__ import annotations

from enum import Enum

from devlint.model.confidence import Confidence
from devlint.model.edit import Fix, FixRequest
from devlint.model.site import Site, SiteId
from devlint.model.value import ordered, value


class Severity(Enum):
    """What the program does about it."""

    ERROR = "error"
    """Raises, or silently takes the wrong device, wherever there is an accelerator."""
    WARNING = "warning"
    """Waits, copies, or depends on one kind of machine."""


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
    """The way out, in one line."""
    fix: FixRequest | None = None
    cause: SiteId | None = None
    """What the finding is about. Of the drafts with one cause, the most specific rule's speaks, unless it is
    less sure."""
    confidence: Confidence | None = None
    """How sure the rule is, where it is less sure than the observer was of the event; None, most of the
    time, stands for the event's own confidence."""


@ordered
class Related:
    """A related site, resolved."""

    site: Site
    message: str
    label: bool = False


@value
class Observed:
    """What a run measured: how often, how long the host waited (seconds), how much was copied (bytes)."""

    count: int
    seconds: float | None = None
    bytes: int | None = None
    estimated: bool = False
    """Whether these numbers are estimated from some of the run's steps."""
    usual: bool = False
    """Whether nearly every program does it, so that it is advice more than a finding."""
    ranks: tuple[tuple[int, Observed], ...] = ()
    """The same for each rank of a distributed program, where several were merged."""
    callers: tuple[Site, ...] = ()
    """For a place in an installed package the nearest lines of the program's own that led there."""


class InRun(Enum):
    """What a run says of a finding that was not made in it."""

    SEEN = "seen in the run"
    NOT_REACHED = "not reached in the run"
    CONTRADICTED = "contradicted by the run"
    """Its lines were run, and nothing of the kind happened."""


@value
class Finding:
    """What a user reads."""

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
    """What the run says that it is held against; None where there is none, or it says nothing."""

    @property
    def sort_key(self) -> tuple[str, int, int, int, str, str]:
        """The order of every report: by file, then cell, line, column and code."""
        site = self.site
        return (site.path, site.cell or 0, site.line, site.column, self.code, self.message)
