"""The observer inside one backward pass: hooks, custom functions, what checkpoints compute once more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import FrameType
from typing import Any

from torch._guards import TracingContext

from devlint.model import SiteId
from devlint.runtime.guards import Watches, adopted
from devlint.runtime.observer.call import Call
from devlint.runtime.observer.mode import Function, Observer
from devlint.runtime.observer.rows import Row


class BackwardObserver(Observer):
    """Looks at what the pass calls, for the guards around the place that started it.

    Torch hands its modes on to the threads that it keeps for each device (`at::ThreadLocalState`), but these
    know neither that place nor those guards; so the mode carries both.
    """

    def __init__(self, outer: Observer, watches: Watches | None, started_at: SiteId) -> None:
        vars(self).update(vars(outer))
        self._watches = watches
        self._started_at = started_at

    def _observed(
        self, row: Row, func: Function, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        if TracingContext.try_get() is not None:
            # The backward of a compiled graph is compiled when it first runs: no tensor here has values.
            return func(*args, **kwargs)
        with adopted(self._watches):
            return super()._observed(row, func, args, kwargs, frame)

    def _call(self, row: Row, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType) -> Call:
        call = super()._call(row, args, kwargs, frame)
        call.backward = self._started_at
        return call
