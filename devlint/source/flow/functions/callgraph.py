"""Who calls whom in a file, and from how hot a path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class Call(NamedTuple):
    """A call of one of the file's own functions, which go by their identities."""

    caller: int
    callee: int
    hot: bool
    """Whether it stands on a hot path."""
    cold: bool
    """Whether it stands in a part of its function that is seldom reached."""


def with_overrides(calls: Iterable[Call], overrides: Iterable[tuple[int, int]]) -> Iterator[Call]:
    """The calls, and those that a derived class takes over: what calls a method of `self` may call the one
    that overrides it. `overrides` are pairs of a method and one that overrides it."""
    for call in calls:
        yield call
        for method, override in overrides:
            if call.callee == method and call.caller != override:
                yield call._replace(callee=override)


class CallGraph:
    """The calls of the file's own functions that have been seen."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self._calls: defaultdict[int, set[Call]] = defaultdict(set)
        for call in calls:
            self._calls[call.callee].add(call)

    def is_called(self, function: int) -> bool:
        """Whether a call of a function has been seen."""
        return function in self._calls

    def reached_from_hot_paths(self, further: Iterable[int]) -> frozenset[int]:
        """The functions that are called from a hot path, or from one of some further functions, directly or
        not."""
        called_hot = {call.callee for calls in self._calls.values() for call in calls if call.hot}
        return self.reached_from(called_hot.union(further))

    def reached_from(self, functions: Iterable[int]) -> frozenset[int]:
        """The functions, and those that they call, directly or not."""
        reached = set(functions)
        while True:
            further = {
                callee
                for callee, calls in self._calls.items()
                if callee not in reached and any(call.caller in reached for call in calls)
            }
            if not further:
                return frozenset(reached)
            reached |= further

    def only_from(self, callers: frozenset[int]) -> frozenset[int]:
        """These functions, and those that are called only from them or from one another."""
        candidates = set(self._calls) - callers
        return callers | self._fitting(
            candidates, lambda call, within: call.caller in callers or call.caller in within
        )

    def only_from_hot_paths(self) -> frozenset[int]:
        """The functions that are called, and only from hot paths or from such functions themselves. Those
        that call only one another are on none.

        Where a function calls another on its hot path, it may do so in a part seldom reached as well.
        """
        on_way = {(call.caller, call.callee) for calls in self._calls.values() for call in calls if call.hot}

        def fits(call: Call, within: set[int]) -> bool:
            if call.cold:
                return (call.caller, call.callee) in on_way
            return call.hot or call.caller in within

        return self._fitting(set(self._calls), fits) & self.reached_from_hot_paths(())

    def _fitting(self, candidates: set[int], fits: Callable[[Call, set[int]], bool]) -> frozenset[int]:
        """The largest part of the candidates of which every call fits, given that part."""
        while True:
            others = {c for c in candidates if not all(fits(call, candidates) for call in self._calls[c])}
            if not others:
                return frozenset(candidates)
            candidates = candidates - others
