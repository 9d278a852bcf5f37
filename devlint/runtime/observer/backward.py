"""The observer of one backward pass: hooks, custom functions, recomputation of checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import get_ident
from types import FrameType
from typing import Any

import torch
from torch._guards import TracingContext

from devlint.model import SiteId
from devlint.runtime.observer import waits
from devlint.runtime.observer.call import ObservedCall
from devlint.runtime.observer.functions import ObservedFunction
from devlint.runtime.observer.mode import Function, Observer
from devlint.runtime.observer.transfers import Crossing
from devlint.runtime.observer.waits import Wait
from devlint.runtime.policy.active_guards import ActiveGuards, adopted


class BackwardObserver(Observer):
    """Observes the calls of the pass, for the guards around the place that started it.

    Torch passes its modes on to its threads for each device (`at::ThreadLocalState`), which know neither the
    place nor the guards; so the mode stores both.
    """

    def __init__(self, outer: Observer, guards: ActiveGuards | None, started_at: SiteId) -> None:
        vars(self).update(vars(outer))
        self._guards = guards
        self._started_at = started_at
        self._started_by = get_ident()
        self._unheard = 0
        """Foreseen waits that have not been reported yet."""

    def __exit__(self, *ending: Any) -> None:
        """Leave the pass. Now the error of a guard can be raised."""
        super().__exit__(*ending)  # type: ignore[no-untyped-call]
        if ending[0] is None and self._late.open:
            self._late.settle()

    def late_wait(self, operator: str, device: torch.device, *, measured: bool) -> None:  # noqa: ARG002
        """Called in a thread of the engine, which no line of the program has called. The wait is attributed
        to the line that started the pass; its duration is unknown.

        A foreseen wait is reported as well, at once or after the pass.
        """
        if self._unheard:
            self._unheard -= 1
            return
        self._progress.waits += 1
        with adopted(self._guards):
            self._late.note(
                lambda: waits.foresee_hidden(self._started_at, operator, device, backward=True),
                self._started_by,
                measured=False,
            )

    def _observed(
        self,
        row: ObservedFunction,
        func: Function,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        frame: FrameType | None,
    ) -> Any:
        try:
            # The backward of a compiled graph is compiled when it first runs. Tensors have no values then.
            has_values = TracingContext.try_get() is None
            guards = adopted(self._guards)
        except Exception as error:  # devlint's own: the program must not notice
            self._failed(error)
            has_values = False
        if not has_values:
            return func(*args, **kwargs)
        with guards:
            return super()._observed(row, func, args, kwargs, frame)

    def _foreseen(self, call: ObservedCall) -> tuple[Crossing | None, Wait | None]:
        crossing, wait = super()._foreseen(call)
        self._unheard += wait is not None
        return crossing, wait

    def _call(
        self, row: ObservedFunction, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType | None
    ) -> ObservedCall:
        call = super()._call(row, args, kwargs, frame)
        call.backward = self._started_at
        return call
