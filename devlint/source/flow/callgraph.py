"""Who calls whom in a file, and from how hot a path."""

from __future__ import annotations

from collections import defaultdict


class CallGraph:
    """The calls of the file's own functions that have been seen, by the functions' identities."""

    def __init__(self) -> None:
        self._calls: defaultdict[int, set[tuple[int, bool, bool]]] = defaultdict(set)

    def add(self, caller: int, callee: int, *, hot: bool, cold: bool) -> None:
        """Note a call: whether it stands on a hot path, or in a part of its function that is seldom
        reached."""
        self._calls[callee].add((caller, hot, cold))

    def is_called(self, function: int) -> bool:
        """Whether a call of a function has been seen."""
        return function in self._calls

    def only_from(self, callers: frozenset[int]) -> frozenset[int]:
        """These functions, and those that are called only from them or from one another."""
        within = set(self._calls) - callers
        while True:
            outside = {
                callee
                for callee in within
                if any(caller not in callers and caller not in within for caller, _, _ in self._calls[callee])
            }
            if not outside:
                return callers | within
            within -= outside

    def only_from_hot_paths(self) -> frozenset[int]:
        """The functions that are called, and only from hot paths or from such functions themselves."""
        candidates = set(self._calls)
        while True:
            cold = {
                callee
                for callee in candidates
                if any(
                    is_cold or not (is_hot or caller in candidates)
                    for caller, is_hot, is_cold in self._calls[callee]
                )
            }
            if not cold:
                return frozenset(candidates)
            candidates -= cold
