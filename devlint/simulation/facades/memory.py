"""Memory statistics of simulated devices: all zero, because nothing is allocated there."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import torch

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices
from devlint.simulation.facades.device_module import (
    TOTAL_MEMORY,
    constant,
    module_of,
    replace_existing,
)

_ZERO = (
    "memory_allocated",
    "max_memory_allocated",
    "memory_reserved",
    "max_memory_reserved",
    "memory_cached",
    "max_memory_cached",
    "current_allocated_memory",
    "driver_allocated_memory",
    "device_memory_used",
    "memory_usage",
)
"""Functions that return a number of bytes."""
_NOTHING = (
    "empty_cache",
    "empty_host_cache",
    "reset_peak_memory_stats",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "set_per_process_memory_fraction",
    "_record_memory_history",
)


def patch(patches: Patches, devices: Devices) -> None:
    """Replace the functions that report or change memory."""
    for owner in (module_of(devices), getattr(module_of(devices), "memory", None), torch.accelerator):
        if owner is not None:
            replace_existing(patches, owner, _answers())


def _answers() -> dict[str, Any]:
    answers: dict[str, Any] = {name: constant(0) for name in _ZERO}
    answers |= {name: constant(None) for name in _NOTHING}
    answers |= {name: lambda *_, **__: defaultdict(int) for name in ("memory_stats", "host_memory_stats")}
    answers |= {name: constant((TOTAL_MEMORY, TOTAL_MEMORY)) for name in ("mem_get_info", "get_memory_info")}
    answers |= {
        "get_per_process_memory_fraction": constant(1.0),
        "recommended_max_memory": constant(TOTAL_MEMORY),
        "memory_summary": constant("simulated devices allocate no memory"),
        "memory_snapshot": lambda *_, **__: [],
        "list_gpu_processes": constant("simulated devices run no processes"),
    }
    return answers
