"""Readings of the host's clock."""

from __future__ import annotations

from devlint.model import SiteId
from devlint.model.value import value


@value
class Clock:
    """A reading of the host's clock, with the numbers of device operations and of waits before it."""

    name: str
    site: SiteId
    waits: int
    work: int
    sure_work: int = 0
    """The number of those device operations that certainly run on a device."""
    loop: SiteId | None = None
    """The innermost loop in which it was read."""
