"""The state at one point of a function: which value each name and attribute path holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from devlint.model import Device
from devlint.source.flow.state.lattice import join, map_devices
from devlint.source.flow.state.values import TOP, Value


class Answer(NamedTuple):
    """What a test has shown of a parameter as the caller gave it."""

    name: str
    is_none: bool | None = None
    """Whether it is None, where that was asked."""
    is_true: bool | None = None
    """Whether it counts as true, where that was asked."""


Answers = frozenset[Answer]


class Environment:
    """Names (`x`) and attribute paths (`self.mask`) with their values. `dead` after a return or a raise.

    `tested` is what was asked of parameters on every way here, with the answers.
    """

    __slots__ = ("dead", "names", "tested")

    def __init__(
        self, names: dict[str, Value] | None = None, *, dead: bool = False, tested: Answers = frozenset()
    ) -> None:
        self.names: dict[str, Value] = names if names is not None else {}
        self.dead = dead
        self.tested = tested

    def copy(self) -> Environment:
        """A state that can go its own way."""
        return Environment(dict(self.names), dead=self.dead, tested=self.tested)

    def get(self, path: str) -> Value | None:
        """What a path holds, if anything was bound to it here."""
        return self.names.get(path)

    def bind(self, path: str, value: Value) -> None:
        """Bind a path; what was known of the attributes below it is forgotten."""
        self.forget_below(path)
        self.names[path] = value

    def forget_below(self, path: str) -> None:
        """Forget the attributes of a path."""
        prefix = path + "."
        for name in [name for name in self.names if name.startswith(prefix)]:
            del self.names[name]

    def forget(self, paths: Iterable[str]) -> None:
        """Nothing is known of these paths any more."""
        for path in paths:
            self.bind(path, TOP)

    def map_devices(self, change: Callable[[Device], Device]) -> None:
        """Put another device in the place of each."""
        for name, value in self.names.items():
            self.names[name] = map_devices(value, change)

    def joined(self, other: Environment) -> Environment:
        """The state where two paths meet. A name bound on one path only keeps its value: on the other path it
        would be unbound, and using it would raise. An attribute path may be bound from outside, so it is
        forgotten."""
        if self.dead:
            return other
        if other.dead:
            return self
        tested = self.tested & other.tested
        if self.names == other.names and tested == self.tested:
            return self
        names: dict[str, Value] = {}
        for name in {**self.names, **other.names}:  # in an order that no hash decides
            left, right = self.names.get(name), other.names.get(name)
            if left is not None and right is not None:
                names[name] = left if left is right else join(left, right)
            elif "." not in name:
                only = left if left is not None else right
                assert only is not None
                names[name] = only
        return Environment(names, tested=tested)
