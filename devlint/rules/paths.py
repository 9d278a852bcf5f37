"""Shared by the rules on what costs time: whether an event is on a hot path, and how sure that is."""

from __future__ import annotations

from devlint.model import Confidence, HotPath, Synchronization, Transfer


def is_on_hot_path(event: Synchronization | Transfer) -> bool:
    """Whether an event is known to be on a hot path."""
    return event.hot not in (None, HotPath.CALLED)


def confidence_of_path(event: Synchronization | Transfer) -> Confidence | None:
    """At most possible where only callers could repeat an event; None where its hot path is known."""
    return Confidence.POSSIBLE if event.hot is HotPath.CALLED else None
