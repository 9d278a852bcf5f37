"""The CUDA graph manager of the compiler, which torch imports if there are devices; here it is empty."""

from __future__ import annotations

import torch

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices

_MISSING_WITHOUT_CUDA = ("_cuda_CUDAAllocator_AllocatorState", "_set_cached_tensors_enabled")
"""Names of `torch._C` that `torch/_inductor/cudagraph_trees.py` imports in builds with CUDA."""


def patch(patches: Patches, devices: Devices) -> None:  # noqa: ARG001
    """Make the names available, so that `torch.compiler.reset()` can import the module."""
    for name in _MISSING_WITHOUT_CUDA:
        if not hasattr(torch._C, name):
            patches.replace(torch._C, name, lambda *_: None)
