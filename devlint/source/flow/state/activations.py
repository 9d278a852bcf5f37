"""The functions that are being interpreted, across files, and what may be kept of them.

A function that is called while it is being interpreted is taken as unknown there. What was worked out with
that holds for the function with which the circle was entered, and for no other on it. So that it does not
matter where a circle was entered, it is interpreted from its first function on, by file and place, and all
that comes of it is kept together (Tarjan's strongly connected components, found on the way). Everything else
is interpreted once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from devlint.source.flow.functions.summaries import UNKNOWN_SUMMARY, Summary
from devlint.source.flow.sightings import Notes
from devlint.source.flow.state.values import FunctionValue

DEEPEST_CALL = 40
"""How many functions are followed into each other at once; deeper calls are taken as unknown."""

Key = tuple[str, int]
"""A function by its file and its place there."""


class Home(Protocol):
    """What is asked of the file that a function stands in."""

    path: str
    """By which files are told apart."""

    def known(self, callee: FunctionValue) -> Summary | None:
        """What is kept of a function."""
        ...

    def interpret(self, callee: FunctionValue) -> tuple[Summary, Notes]:
        """Interpret a function, and keep nothing."""
        ...

    def keep(self, callee: FunctionValue, summary: Summary, notes: Notes) -> None:
        """Keep what was worked out."""
        ...


@dataclass(slots=True)
class _Activation:
    home: Home
    callee: FunctionValue
    lowest: int
    """The outermost activation that this one has met in a circle; itself, where there is none."""
    summary: Summary = UNKNOWN_SUMMARY
    notes: Notes = field(default_factory=Notes)

    @property
    def key(self) -> Key:
        return self.home.path, self.callee.identity

    def keep(self) -> None:
        self.home.keep(self.callee, self.summary, self.notes)


class Activations:
    """One stack for all files that are interpreted together."""

    def __init__(self) -> None:
        self._stack: list[_Activation] = []
        self._under_way: dict[Key, int] = {}
        self._held: dict[Key, _Activation] = {}
        """Done, but on a circle whose entrance is still under way."""

    def summary(self, home: Home, callee: FunctionValue) -> Summary:
        """What a function comes to; unknown, where that depends on itself.

        Raises:
            RecursionError: code nests too deep.
        """
        known = home.known(callee)
        if known is not None:
            return known
        key = (home.path, callee.identity)
        if key in self._under_way:
            self._meet(self._under_way[key])
            return UNKNOWN_SUMMARY
        if key in self._held:
            self._meet(self._held[key].lowest)
            return self._held[key].summary
        if len(self._stack) >= DEEPEST_CALL:
            return UNKNOWN_SUMMARY
        done = self._run(home, callee)
        if done.lowest < len(self._stack):
            self._hold(done)
            self._meet(done.lowest)
            return done.summary
        return self._settled(done)

    def _hold(self, done: _Activation) -> None:
        """Put off what is on a circle; all that has met it is on the same one, and leads as far out."""
        self._held[done.key] = done
        for each in self._held.values():
            if each.lowest >= len(self._stack):
                each.lowest = done.lowest

    def _settled(self, entrance: _Activation) -> Summary:
        """Keep a whole circle, interpreted from its first function on."""
        circle = self._take_held()
        first = min(circle, key=lambda each: each.key, default=entrance)
        if first.key < entrance.key:
            circle = [self._run(first.home, first.callee), *self._take_held()]
        else:
            circle.append(entrance)
        for each in circle:
            each.keep()
        known = entrance.home.known(entrance.callee)
        if known is not None:
            return known
        # Entered elsewhere, the circle does not lead here.
        entrance.keep()
        return entrance.summary

    def _run(self, home: Home, callee: FunctionValue) -> _Activation:
        position = len(self._stack)
        activation = _Activation(home, callee, position)
        self._stack.append(activation)
        self._under_way[activation.key] = position
        try:
            activation.summary, activation.notes = home.interpret(callee)
        except BaseException:
            self._take_held()
            raise
        finally:
            self._stack.pop()
            del self._under_way[activation.key]
        return activation

    def _meet(self, position: int) -> None:
        if self._stack:
            self._stack[-1].lowest = min(self._stack[-1].lowest, position)

    def _take_held(self) -> list[_Activation]:
        """What is held on circles that are entered no further out than here."""
        depth = len(self._stack)
        taken = [each for each in self._held.values() if each.lowest >= depth]
        for each in taken:
            del self._held[each.key]
        return taken
