"""`torch.distributed`: processes talk by gloo, which the CPU has, where NCCL is asked for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from torch import distributed

from devlint.instrumentation.patches import Patches
from devlint.simulation.scope import CallScope


def patch(patches: Patches, scope: Callable[[], CallScope | None]) -> None:
    """Replace the choice of NCCL, and have `DistributedDataParallel` reduce where its parameters are."""
    if not distributed.is_available():
        return
    patches.wrap(distributed, "init_process_group", _by_gloo)
    patches.replace(distributed, "Reducer", _reducing(vars(distributed)["Reducer"], scope))
    patches.replace(distributed, "is_nccl_available", lambda: True)


def _reducing(reducer: Any, scope: Callable[[], CallScope | None]) -> Any:
    """A reducer whose buckets lie where its parameters are. It makes them twice: at first, and again when it
    has seen in which order gradients come."""

    class Reducer(reducer):  # type: ignore[misc]
        def __init__(self, parameters: Any, *args: Any, **kwargs: Any) -> None:
            self._parameters = parameters
            self._beside_parameters(lambda: super(Reducer, self).__init__(parameters, *args, **kwargs))

        def _rebuild_buckets(self) -> bool:
            return bool(self._beside_parameters(super()._rebuild_buckets))

        def _beside_parameters(self, make: Callable[[], Any]) -> Any:
            running = scope()
            return make() if running is None else running.run(lambda _: make(), (self._parameters,), {})

    return Reducer


def _by_gloo(start: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(start)
    def begin(backend: str | None = None, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("device_id", None)
        wanted = "gloo" if backend is None or "nccl" in backend else backend
        return start(wanted, *args, **kwargs)

    return begin
