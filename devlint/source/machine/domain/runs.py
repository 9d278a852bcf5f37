"""Derived data of the cells of a wide object, kept for each run of cells until one of them changes.

So writing one attribute among thousands costs a run, not the object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_T = TypeVar("_T")

LENGTH = 64
"""The number of cells in a run; the last run has the rest. An object with no more cells is not wide."""


class Runs:
    """The keys of an object's cells, divided into runs in their order, with the data derived from each
    run."""

    __slots__ = ("_at", "_keys", "_made")

    def __init__(self, cells: Mapping[object, Any]) -> None:
        keys = list(cells)
        self._keys = [keys[at : at + LENGTH] for at in range(0, len(keys), LENGTH)]
        self._at = {key: at // LENGTH for at, key in enumerate(keys)}
        self._made: list[dict[Callable[..., Any], Any]] = [{} for _ in self._keys]

    def __len__(self) -> int:
        """The number of cells."""
        return len(self._at)

    def each(self, cells: Mapping[object, Any], work: Callable[[dict[object, Any]], _T]) -> list[_T]:
        """The result of `work` for each run of cells. `work` must depend on nothing else that can change."""
        for keys, made in zip(self._keys, self._made, strict=True):
            if work not in made:
                made[work] = work({key: cells[key] for key in keys if key in cells})
        return [made[work] for made in self._made]

    def written(self, key: object) -> None:
        """Record that a cell was written, perhaps a new one at the end."""
        at = self._at.get(key)
        if at is None:
            at = self._at[key] = len(self._at) // LENGTH
            if at == len(self._keys):
                self._keys.append([])
                self._made.append({})
            self._keys[at].append(key)
        self._made[at].clear()

    def removed(self, key: object) -> Runs | None:
        """The runs after a cell was removed; None if that moves other cells to its run."""
        at = self._at.get(key)
        if at is None:
            return self
        if at + 1 < len(self._keys):
            return None
        del self._at[key]
        self._keys[at].remove(key)
        self._made[at].clear()
        if not self._keys[at]:
            self._keys.pop()
            self._made.pop()
        return self
