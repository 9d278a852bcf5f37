"""Which steps are watched: all until nothing new comes, then one of each block of steps, drawn at random.

A step drawn from a block of k stands for k steps, so what is counted in it, times k, is an unbiased estimate
(Horvitz and Thompson, 1952). It is drawn anew for each block: a program that acts every few steps would keep
pace with a fixed interval. Blocks that are cut short make the drawn steps stand for more or fewer steps than
there were; as it is known how many there were, the estimate is set right by that ratio (Hajek, 1971).
"""

from __future__ import annotations

from random import Random

SETTLING = 10
"""So many steps without anything new are watched at first."""
SETTLING_AGAIN = 3
"""So many are watched after something new has come."""


class Schedule:
    """Decides at the end of each step whether the next one is watched. `every` is the length of a block."""

    def __init__(self, every: int) -> None:
        self._every = every
        # Its own: the program's generators are to give what they give without devlint.
        self._random = Random(0)
        self._settling = SETTLING
        self._place = self._drawn = 0
        self.watches = True
        """Whether the step that runs now is watched, from here on at least."""
        self.weight = 1
        """For how many steps what is seen now stands."""
        self.steps = self.watched = 0
        """How many steps have ended, and how many of them were watched to the end."""
        self._represented = 0
        """For how many others the drawn steps were to stand."""

    def change(self) -> None:
        """Something new has come: watch from now on, until nothing new comes."""
        self._settling = max(self._settling, SETTLING_AGAIN)
        self.watches = True

    def end_step(self) -> None:
        """A step has ended."""
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
        """How many steps were not watched, to how many the drawn ones were to stand for."""
        return (self.steps - self.watched) / self._represented if self._represented else 1.0
