"""`torch.distributed`: processes talk by gloo, which the CPU has, where NCCL is asked for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from torch import distributed

from devlint.runtime.patches import Patches
from devlint.runtime.simulation.scope import Scope


def patch(patches: Patches, scope: Callable[[], Scope | None]) -> None:
    """Replace the choice of NCCL, and have `DistributedDataParallel` reduce where its parameters are."""
    if not distributed.is_available():
        return
    patches.wrap(distributed, "init_process_group", _by_gloo)
    reducer: Any = vars(distributed)["Reducer"]

    def reducing(parameters: Any, *args: Any, **kwargs: Any) -> Any:
        running = scope()
        if running is None:
            return reducer(parameters, *args, **kwargs)
        return running.run(reducer, (parameters, *args), kwargs)

    patches.replace(distributed, "Reducer", reducing)
    patches.replace(distributed, "is_nccl_available", lambda: True)


def _by_gloo(start: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(start)
    def begin(backend: str | None = None, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("device_id", None)
        wanted = "gloo" if backend is None or "nccl" in backend else backend
        return start(wanted, *args, **kwargs)

    return begin
