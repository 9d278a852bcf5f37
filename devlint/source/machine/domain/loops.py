"""Loops as they run: which of them are hot follows from what was done in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from devlint.model import Event, HotPath, SiteId


class LoopActivity(NamedTuple):
    """What happens in a loop that may make it hot."""

    trained: bool = False
    drew: bool = False
    called_module: bool = False
    worked: bool = False
    hot_inside: bool = False

    def __or__(self, other: LoopActivity) -> LoopActivity:
        return LoopActivity(*(one or another for one, another in zip(self, other, strict=True)))


Happening: TypeAlias = tuple[type[Event], SiteId]
"""A kind of event at a place."""


class Turn:
    """What is done in one turn of a loop, by the statements of the loop's own body."""

    __slots__ = ("happened", "idle", "reached", "statement")

    def __init__(self) -> None:
        self.statement = 0
        """The identity of the statement that is run."""
        self.reached: set[int] = set()
        self.happened: set[tuple[Happening, int]] = set()
        """What happens, each with the statement by which it does."""
        self.idle: set[SiteId] = set()
        """Moves of what an earlier turn has put there: `total = total.to(device) + loss`."""

    def reach(self, statement: object) -> None:
        """Run a statement."""
        self.statement = id(statement)
        self.reached.add(self.statement)

    def alone(self, after: Turn) -> frozenset[Happening]:
        """What happens in this turn by statements that the turn after it does not reach, or by moves that
        have nothing to move in that one."""
        again = {what for what, _ in after.happened}
        again |= {
            what
            for what, statement in self.happened
            if statement in after.reached and what[1] not in after.idle
        }
        return frozenset(what for what, _ in self.happened if what not in again)


class Loop:
    """One run of a loop, or of a function that is called again and again.

    What happens directly in a loop, and in no loop inside of it, makes it hot: a step of an optimizer, a
    backward pass, a batch drawn, the call of a module. Device work alone does so too, unless a loop inside
    is hot: then this one counts epochs.
    """

    __slots__ = (
        "called_module", "drew", "first", "frame", "hot_inside", "outer", "periodic", "site", "trained",
        "turn", "turns", "whole", "worked",
    )  # fmt: skip

    def __init__(
        self,
        outer: Loop | None,
        site: SiteId,
        *,
        turns: int | None = None,
        frame: object = None,
        periodic: bool = False,
    ) -> None:
        self.outer = outer
        self.periodic = periodic
        """Whether the loop outside reaches it every so many turns only."""
        self.frame = frame
        """The activation in which it stands."""
        self.site = site
        self.turns = turns
        """How often it turns, where that is known."""
        self.trained = False
        self.drew = False
        self.called_module = False
        self.worked = False
        self.hot_inside = False
        self.turn = Turn()
        """The turn that is run."""
        self.first: frozenset[Happening] = frozenset()
        """What happens in the first turn only."""
        self.whole: HotPath | None = None
        """For the activation of a function that others call on a hot path: which one."""

    @property
    def hot(self) -> HotPath | None:
        """Why it runs many times, by what happens in it alone."""
        if self.whole is not None:
            return self.whole
        if self.trained:
            return HotPath.TRAINING_LOOP
        if self.drew:
            return HotPath.LOADER_LOOP
        if self.hot_inside or (self.turns is not None and self.turns < FEW_TURNS):
            return None
        if self.called_module:
            return HotPath.GENERATION_LOOP
        return HotPath.RECURRING if self.worked else None

    def inside(self, outer: Loop | None) -> Loop:
        """The same loop, run inside of another one."""
        made = Loop(outer, self.site, turns=self.turns, frame=self.frame, periodic=self.periodic)
        made.whole = self.whole
        made.first = self.first
        made.flags = self.flags
        return made

    @property
    def flags(self) -> LoopActivity:
        """What happens in it that may make it hot."""
        return LoopActivity(self.trained, self.drew, self.called_module, self.worked, self.hot_inside)

    @flags.setter
    def flags(self, flags: LoopActivity) -> None:
        self.trained, self.drew, self.called_module, self.worked, self.hot_inside = flags

    def left(self) -> None:
        """Tell the loop outside that each of its turns trains, draws batches or calls a module in a loop."""
        if self.outer is None or self.periodic:
            return
        if self.hot_inside or self.hot in _COUNTED_FROM_OUTSIDE:
            self.outer.hot_inside = True


FEW_TURNS = 10
"""A loop that turns fewer times than this, and is neither trained in nor draws batches, is not hot."""


_COUNTED_FROM_OUTSIDE = (HotPath.TRAINING_LOOP, HotPath.LOADER_LOOP, HotPath.GENERATION_LOOP)
"""What makes a loop outside one of epochs."""


def enclosing(loop: Loop | None) -> Iterator[Loop]:
    """A loop and those around it, the innermost first."""
    while loop is not None:
        yield loop
        loop = loop.outer


def hot_path(loop: Loop | None) -> HotPath | None:
    """Why what happens in a loop happens many times: the innermost hot loop around it says so."""
    for each in enclosing(loop):
        if each.hot is not None or each.periodic:
            return each.hot
    return None


def recurring(loop: Loop | None, happening: Happening) -> Loop | None:
    """The innermost loop around something that does not happen in its first turn only."""
    return next((each for each in enclosing(loop) if happening not in each.first), None)


def is_periodic(loop: Loop | None) -> bool:
    """Whether a loop, or one around it, is reached every so many turns only."""
    return any(each.periodic for each in enclosing(loop))


def is_inside(loop: Loop | None, outer: Loop | None) -> bool:
    """Whether a loop is another one, or runs inside of it."""
    return outer is None or any(each is outer for each in enclosing(loop))
