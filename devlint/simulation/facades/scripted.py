"""Functions and methods that TorchScript compiled, whose calls no function mode gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from devlint.instrumentation.patches import Patches
from devlint.simulation.scope import CallScope


def patch(patches: Patches, scope: Callable[[], CallScope | None]) -> None:
    """Put their results on the device of their operands, because inside `x.device` is the real device."""
    for kind in (torch._C.ScriptFunction, torch._C.ScriptMethod):
        patches.replace(kind, "__call__", _inheriting(kind.__call__, scope))


def _inheriting(call: Callable[..., Any], scope: Callable[[], CallScope | None]) -> Callable[..., Any]:
    def inherit(compiled: Any, *args: Any, **kwargs: Any) -> Any:
        running = scope()
        if running is None:
            return call(compiled, *args, **kwargs)
        return running.run(call, (compiled, *args), kwargs)

    return inherit
