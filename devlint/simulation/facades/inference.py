"""`torch.inference_mode`: replaced by `torch.no_grad`, which has the same results.

In inference mode, dispatch modes get composite operators before torch decomposes them, and intermediate views
lose the information that their base requires a gradient, by which `matmul` selects its algorithm
(`should_fold` in torch's aten/src/ATen/native/LinearAlgebra.cpp), so that the last bits would differ.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import inference_mode

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices


def patch(patches: Patches, _: Devices) -> None:
    """Enter and leave without gradients, also in decorators that were created before."""

    def enter(mode: Any) -> None:
        mode._before = torch.is_grad_enabled()
        torch._C._set_grad_enabled(not mode.mode)

    def leave(mode: Any, *_: object) -> None:
        torch._C._set_grad_enabled(mode._before)

    patches.replace(inference_mode, "__enter__", enter)
    patches.replace(inference_mode, "__exit__", leave)
