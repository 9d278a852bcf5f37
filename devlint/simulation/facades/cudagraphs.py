"""The compiler's book of CUDA graphs, which torch opens where there are devices; here it stays empty."""

from __future__ import annotations

import torch

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices

_MISSING_WITHOUT_CUDA = ("_cuda_CUDAAllocator_AllocatorState", "_set_cached_tensors_enabled")
"""What `torch/_inductor/cudagraph_trees.py` imports of `torch._C` where torch says it was built with CUDA."""


def patch(patches: Patches, devices: Devices) -> None:  # noqa: ARG001
    """Let `torch.compiler.reset()` import it."""
    for name in _MISSING_WITHOUT_CUDA:
        if not hasattr(torch._C, name):
            patches.replace(torch._C, name, lambda *_: None)
