"""Backward: `backward` is itself a torch function, so torch has taken all modes off when its engine runs.

Seen again are hooks, custom functions, and what checkpoints compute once more. Torch hands the modes that are
on when the engine starts to the threads that it keeps for each device.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch.autograd import graph

from devlint.instrumentation.patches import Patches

InBackward = Callable[[], AbstractContextManager[object]]
"""Puts the observer on for one backward pass. It is called where the pass starts."""

_HOLDERS = (graph, torch.autograd)
"""Modules that hold the name by which Python calls the engine."""


def patch(patches: Patches, in_backward: InBackward) -> None:
    """Observe each backward pass."""

    def around(run: Callable[..., Any]) -> Callable[..., Any]:
        def run_backward(*args: Any, **kwargs: Any) -> Any:
            with in_backward():
                return run(*args, **kwargs)

        return run_backward

    for module in _HOLDERS:
        patches.wrap(module, "_engine_run_backward", around)
