"""The confidence of events and findings."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Confidence(Enum):
    """The confidence of an event, the highest first."""

    SEEN = "seen"
    """It happened in a run."""
    CERTAIN = "certain"
    """It follows from the program, on a machine with an accelerator."""
    LIKELY = "likely"
    """It follows from a hypothesis, a framework's documented convention, or a known hot path."""
    POSSIBLE = "possible"
    """It depends on a parameter of a plain function of which nothing more is known."""

    __hash__ = object.__hash__
    """`Enum` would hash the name each time; keys of contexts contain confidences."""

    def at_least(self, threshold: Confidence) -> bool:
        """Whether it is at least as high as a threshold."""
        return self.rank <= threshold.rank

    @property
    def rank(self) -> int:
        """Its position in the order, the highest first."""
        return _RANKS[self]

    @staticmethod
    def surest(levels: Iterable[Confidence]) -> Confidence:
        """The highest of some levels.

        Raises:
            ValueError: if there is none.
        """
        return min(levels, key=_RANKS.__getitem__)

    @staticmethod
    def weakest(levels: Iterable[Confidence]) -> Confidence:
        """The lowest of some levels, which is the confidence of what depends on all of them.

        Raises:
            ValueError: if there is none.
        """
        return max(levels, key=_RANKS.__getitem__)


_RANKS = {level: rank for rank, level in enumerate(Confidence)}
