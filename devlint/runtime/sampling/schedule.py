"""Which steps are observed: all until no new places appear, then one random step of each block.

A step drawn from a block of k stands for k steps, so its counts times k are an unbiased estimate (Horvitz and
Thompson, 1952). Each block draws its own step, because events in every n-th step could coincide with a fixed
interval. Because blocks can be cut short, the drawn steps stand for more or fewer steps than there were; the
estimate is corrected by the known ratio (Hajek, 1971).
"""

from __future__ import annotations

from random import Random

SETTLING = 10
"""How many steps without new places end the first phase."""
SETTLING_AGAIN = 3
"""How many steps without new places end a later phase."""


class Schedule:
    """Decides at the end of each step whether the next one is observed. `every` is the length of a block."""

    def __init__(self, every: int) -> None:
        self._every = every
        # A generator of its own, so that the program's generators draw the same numbers as without devlint.
        self._random = Random(0)
        self._settling = SETTLING
        self._place = self._drawn = 0
        self.watches = True
        """Whether the current step is observed, at least from here on."""
        self.weight = 1
        """How many steps the current step stands for."""
        self.steps = self.watched = 0
        """How many steps have ended, and how many of them were observed to the end."""
        self._represented = 0
        """How many other steps the drawn steps stand for."""

    def change(self) -> None:
        """A new place appeared: observe all steps until none does."""
        self._settling = max(self._settling, SETTLING_AGAIN)
        self.watches = True

    def end_step(self) -> None:
        """End a step."""
        self.steps += 1
        self.watched += self.watches
        if self._settling:
            self._settling -= 1
            self._place = self._every - 1
        self._place += 1
        if self._place == self._every:
            self._place, self._drawn = 0, self._random.randrange(self._every)
        sampled = not self._settling and self._place == self._drawn
        self.watches = sampled or self._settling > 0
        self.weight = self._every if sampled else 1
        self._represented += self.weight - 1

    @property
    def ratio(self) -> float:
        """The ratio of the steps that were not observed to those for which the drawn steps stand."""
        return (self.steps - self.watched) / self._represented if self._represented else 1.0
