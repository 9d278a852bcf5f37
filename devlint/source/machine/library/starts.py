"""Functions of torch that start the accelerator's runtime, which then reads its environment variables, or
need it."""

from __future__ import annotations

from devlint.model import Concrete, SiteId
from devlint.operators.without_cuda import RAISE
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.operators.accelerator import start, use
from devlint.source.machine.operators.availability import note_needed

_ASKS = frozenset({"torch.cuda.is_available", "torch.accelerator.is_available"})
"""Functions that count devices by the runtime, without creating a context (torch/cuda/__init__.py)."""
STARTS = _ASKS | {
    "torch.cuda.current_device", "torch.cuda.current_stream", "torch.cuda.Event",
    "torch.cuda.get_device_capability", "torch.cuda.get_device_name", "torch.cuda.get_device_properties",
    "torch.cuda.init", "torch.cuda.is_bf16_supported", "torch.cuda.mem_get_info",
    "torch.cuda.reset_peak_memory_stats", "torch.cuda.set_device", "torch.cuda.Stream",
    "torch.cuda.synchronize",
}  # fmt: skip
"""All functions that start the runtime. `device_count` is not among them: it asks the driver's management
library. Neither are `empty_cache` and `max_memory_allocated`, which do nothing before the start
(torch/cuda/memory.py)."""
NOTED = STARTS | RAISE
"""All functions that start the runtime, or raise where there is none."""


def note_start(machine: Machine, name: str, site: SiteId) -> None:
    """Record a call of one of them."""
    if name in _ASKS:
        machine.process.facts.questions += 1
        start(machine, site)
    elif name in STARTS:
        use(machine, site, Concrete("cuda"))
    if name in RAISE:
        note_needed(machine, site, name, function=name)
