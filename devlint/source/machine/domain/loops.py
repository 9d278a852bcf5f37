"""Loops during execution. The operations in a loop determine whether it is hot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from devlint.model import Device, Event, HotPath, SiteId
from devlint.source.machine.domain.serials import new_serial


class LoopActivity(NamedTuple):
    """An operation in a loop that may make it hot."""

    trained: bool = False
    drew: bool = False
    called_module: bool = False
    worked: bool = False
    hot_inside: bool = False

    def __or__(self, other: LoopActivity) -> LoopActivity:
        return LoopActivity(*(one or another for one, another in zip(self, other, strict=True)))


Happening: TypeAlias = tuple[type[Event], SiteId]
"""A kind of operation, with its site."""


class Turn:
    """The operations in one turn of a loop, by statement of the loop's own body."""

    __slots__ = (
        "copied", "happened", "idle", "is_first", "iterators", "reached", "skips", "statement", "uploaded",
    )  # fmt: skip

    def __init__(self, *, is_first: bool = False) -> None:
        self.is_first = is_first
        """Whether it is the first turn, of a loop whose number of turns is not known."""
        self.skips = False
        """Whether it does not execute what later turns do."""
        self.statement = 0
        """The identity of the statement that is being executed."""
        self.reached: set[int] = set()
        self.happened: set[tuple[Happening, int]] = set()
        """Each operation with the statements that perform it."""
        self.idle: set[SiteId] = set()
        """Moves of a value that an earlier turn assigned: `total = total.to(device) + loss`."""
        self.copied: dict[SiteId, bool] = {}
        """The copies, each with whether it is one of values that were copied before."""
        self.uploaded: dict[tuple[int, Device], int] = {}
        """The tensors that each such turn copies, by serial number, with the devices of the copies, and how
        often the program had changed tensors on the host by then."""
        self.iterators: set[object] = set()
        """The loaders of which it has made iterators: an item of a new one does not show that each turn draws
        a batch."""

    def reach(self, statement: object) -> None:
        """Start a statement."""
        self.statement = id(statement)
        self.reached.add(self.statement)

    def alone(self, after: Turn) -> frozenset[Happening]:
        """The operations of statements that the next turn does not reach, or of moves that have nothing to
        move in the next turn."""
        again = {what for what, _ in after.happened}
        again |= {
            what
            for what, statement in self.happened
            if statement in after.reached and what[1] not in after.idle
        }
        return frozenset(what for what, _ in self.happened if what not in again)

    def renewed(self, after: Turn) -> frozenset[SiteId]:
        """The copies of values that the next turn replaces."""
        return frozenset(
            site for site, again in self.copied.items() if again and not after.copied.get(site, True)
        )


class Loop:
    """One execution of a loop, or of a function that is called repeatedly.

    An operation makes the innermost loop around it hot: an optimizer step, a backward pass, drawing a batch,
    the call of a module. Device work alone does so too, unless an inner loop is hot: then the outer loop
    counts epochs.
    """

    __slots__ = (
        "before", "begun", "called_module", "constant", "drew", "first", "frame", "hot_inside", "most",
        "names", "of_expression", "outer", "periodic", "renewed", "single", "site", "starting", "trained",
        "turn", "turns", "was_left", "whole", "worked",
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
        self.before = outer
        """The loop in which it begins: for a loop of a generator that yields, not the one that resumes it."""
        self.starting = False
        """Whether what it iterates over is being made, before its first turn."""
        self.begun = new_serial()
        """A number greater than that of each object and tensor that was there before."""
        self.periodic = periodic
        """Whether the enclosing loop reaches this one only in some of its turns."""
        self.frame = frame
        """The activation that contains it."""
        self.site = site
        self.turns = turns
        """The number of its turns, if it is known."""
        self.most: int | None = None
        """An upper bound of that number, if one is known."""
        self.of_expression = False
        """Whether it is a comprehension, which neither trains nor draws batches."""
        self.names: frozenset[str] = frozenset()
        """The names that each turn binds to an element."""
        self.constant: frozenset[int] = frozenset()
        """The identities of the statements of its body that each turn executes."""
        self.single = False
        """Whether it has one turn, or its first turn leaves it on each path, so that it repeats nothing."""
        self.was_left = False
        """Whether a turn has reached a `break`."""
        self.trained = False
        self.drew = False
        self.called_module = False
        self.worked = False
        self.hot_inside = False
        self.turn = Turn()
        """The current turn."""
        self.first: frozenset[Happening] = frozenset()
        """The operations of the first turn only."""
        self.renewed: frozenset[SiteId] = frozenset()
        """The copies that only in the first turn are of values from before the loop."""
        self.whole: HotPath | None = None
        """For the activation of a function that is called on a hot path: the function."""

    @property
    def hot(self) -> HotPath | None:
        """The reason why it runs many times, from its own operations alone."""
        if self.whole is not None:
            return self.whole
        if self.single:
            return None
        if self.trained:
            return HotPath.TRAINING_LOOP
        if self.drew:
            return HotPath.LOADER_LOOP
        if self.hot_inside or self.is_short:
            return None
        if self.called_module:
            return HotPath.GENERATION_LOOP
        return HotPath.RECURRING if self.worked else None

    @property
    def is_short(self) -> bool:
        """Whether it is known to have few turns, and neither trains nor draws batches: how often a program
        does these is a setting."""
        turns = self.most if self.turns is None else self.turns
        return turns is not None and turns < FEW_TURNS and not (self.trained or self.drew)

    @property
    def may_recur(self) -> bool:
        """Whether it may prove to be more than a short loop, as soon as more of it has been executed."""
        return not self.is_short or (self.turns != 1 and not self.of_expression)

    def inside(self, outer: Loop | None) -> Loop:
        """A copy of the loop, executed inside another loop."""
        made = Loop(outer, self.site, turns=self.turns, frame=self.frame, periodic=self.periodic)
        made.whole, made.of_expression, made.most = self.whole, self.of_expression, self.most
        made.first, made.renewed, made.single = self.first, self.renewed, self.single
        made.flags = self.flags
        return made

    @property
    def flags(self) -> LoopActivity:
        """The operations in it that may make it hot."""
        return LoopActivity(self.trained, self.drew, self.called_module, self.worked, self.hot_inside)

    @flags.setter
    def flags(self, flags: LoopActivity) -> None:
        self.trained, self.drew, self.called_module, self.worked, self.hot_inside = flags

    def left(self) -> None:
        """Mark the enclosing loop: each of its turns trains, draws batches or calls a module in a loop."""
        if self.outer is None or self.periodic:
            return
        if self.single:
            self.outer.flags |= self.flags
        if self.hot_inside or self.hot in REPEATING:
            self.outer.hot_inside = True


FEW_TURNS = 10
"""A loop with fewer turns than this is not hot, unless it trains or draws batches."""


REPEATING = (HotPath.TRAINING_LOOP, HotPath.LOADER_LOOP, HotPath.GENERATION_LOOP)
"""What makes a loop one that repeats other code. Around such a loop, another one counts epochs."""


def enclosing(loop: Loop | None) -> Iterator[Loop]:
    """A loop and the loops around it, the innermost first."""
    while loop is not None:
        yield loop
        loop = loop.outer


def hot_path(loop: Loop | None) -> HotPath | None:
    """The reason why an operation in a loop runs many times: that of the innermost hot loop around it. If
    this one is merely repeated code, the reason of the next loop around it that trains, draws batches or
    calls a module."""
    found: HotPath | None = None
    for each in enclosing(loop):
        hot = each.hot
        if found is None or hot in REPEATING:
            found = hot
        if each.periodic or found not in (None, HotPath.RECURRING):
            return found
    return found


def recurring(loop: Loop | None, happening: Happening) -> Loop | None:
    """The innermost loop in which something happens in more turns than the first."""
    return next((each for each in enclosing(loop) if happening not in each.first), None)


def is_periodic(loop: Loop | None) -> bool:
    """Whether a loop, or one around it, is reached only in some turns of another one."""
    return any(each.periodic for each in enclosing(loop))


def is_inside(loop: Loop | None, outer: Loop | None) -> bool:
    """Whether a loop is another loop, perhaps in another execution, or runs inside it."""
    return outer is None or any(each.site == outer.site for each in enclosing(loop))


def inner(one: Loop | None, other: Loop | None) -> Loop | None:
    """The one of two loops that runs inside the other one; None stands for no loop."""
    if one is None or other is None:
        return other if one is None else one
    if is_inside(one, other) is is_inside(other, one):
        return min(one, other, key=lambda each: each.site)
    return one if is_inside(one, other) else other
