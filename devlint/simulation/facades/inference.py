"""`torch.inference_mode`: run as `torch.no_grad`, which gives the same numbers.

In inference mode torch shows composite operators to dispatch modes before it takes them apart, and views that
are made on the way no longer say that their base wants a gradient. By that `matmul` chooses how to multiply
(`should_fold` in torch's aten/src/ATen/native/LinearAlgebra.cpp), so that the last bits would differ.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import inference_mode

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices


def patch(patches: Patches, _: Devices) -> None:
    """Enter and leave without gradients, also where it was made a decorator before."""

    def enter(mode: Any) -> None:
        mode._before = torch.is_grad_enabled()
        torch._C._set_grad_enabled(not mode.mode)

    def leave(mode: Any, *_: object) -> None:
        torch._C._set_grad_enabled(mode._before)

    patches.replace(inference_mode, "__enter__", enter)
    patches.replace(inference_mode, "__exit__", leave)
