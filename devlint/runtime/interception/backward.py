"""Backward: `backward` is itself a torch function, so torch has disabled all modes while its engine runs.

This module enables them for hooks, custom functions and the recomputation of checkpoints. Torch passes the
modes that are on when the engine starts to its threads for each device.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import torch
from torch.autograd import graph

from devlint.instrumentation.hooks import Failed, entered, hooked
from devlint.instrumentation.patches import Patches
from devlint.runtime.policy.levels import DisallowedError

InBackward = Callable[[], AbstractContextManager[object]]
"""Turns the observer on for one backward pass. Called where the pass starts."""

_HOLDERS = (graph, torch.autograd)
"""Modules with the name by which Python calls the engine."""


def patch(patches: Patches, in_backward: InBackward, failed: Failed) -> None:
    """Observe each backward pass. `failed` is told of an error of devlint's own."""
    around = hooked(lambda *_, **__: entered(in_backward()), failed, (DisallowedError,))
    for module in _HOLDERS:
        patches.wrap(module, "_engine_run_backward", around)
