"""How sure devlint is of what it says."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Confidence(Enum):
    """How sure an observer is of an event, the surest first."""

    SEEN = "seen"
    """It happened in a run."""
    CERTAIN = "certain"
    """The program says so, on a machine with an accelerator."""
    LIKELY = "likely"
    """It follows under the plain hypothesis, from a framework's documented convention, or on a known hot
    path."""
    POSSIBLE = "possible"
    """It rests on a parameter of a plain function of which nothing more is known."""

    __hash__ = object.__hash__
    """That of `Enum` hashes the name at each turn; keys of contexts have confidences in them."""

    def at_least(self, threshold: Confidence) -> bool:
        """Whether it is as sure as that, or surer."""
        return self.rank <= threshold.rank

    @property
    def rank(self) -> int:
        """Its place in the order, the surest first."""
        return _RANKS[self]

    @staticmethod
    def surest(levels: Iterable[Confidence]) -> Confidence:
        """The surest of some levels.

        Raises:
            ValueError: if there is none.
        """
        return min(levels, key=_RANKS.__getitem__)

    @staticmethod
    def weakest(levels: Iterable[Confidence]) -> Confidence:
        """The least sure of some levels: what rests on several things is as sure as the weakest of them.

        Raises:
            ValueError: if there is none.
        """
        return max(levels, key=_RANKS.__getitem__)


_RANKS = {level: rank for rank, level in enumerate(Confidence)}
