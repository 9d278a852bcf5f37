"""The waits of `torch.amp.GradScaler`."""

from __future__ import annotations

from devlint.model import Cause
from devlint.source.machine.domain.values import TOP, TRUE, Reference, Tensor, Value, changed
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.operators import accelerator
from devlint.source.machine.operators.waits import note_wait

CLASSES = frozenset(
    {"torch.cuda.amp.GradScaler", "torch.amp.GradScaler", "torch.cuda.amp.grad_scaler.GradScaler"}
)
_SCALED = "<scaled>"
"""The cell of a scaler for a tensor that it has scaled."""
_READS = frozenset({"step", "get_scale", "state_dict"})
"""Methods that read a number on the device of the scaled tensors (torch/amp/grad_scaler.py, `.item()`)."""


def call_method(machine: Machine, scaler: Instance, name: str, call: Call) -> Value:
    """`scaler.name(...)`. A disabled scaler returns its argument."""
    if name == "scale" and call.passed:
        if isinstance(call.first, Tensor):
            machine.store.write(scaler, _SCALED, call.first)
        return call.first
    if name == "step":
        accelerator.train(machine)
    if name in _READS and not (name == "step" and _is_fused(call)):
        _note_read(machine, scaler, name, call)
    return TOP


def _note_read(machine: Machine, scaler: Instance, name: str, call: Call) -> None:
    enabled = scaler.arguments.get("enabled", TRUE)
    scaled = scaler.cells.get(_SCALED)
    if isinstance(scaled, Tensor) and machine.truth(enabled) is not False:
        found = changed(scaled, serial=0, role="", attribute="")
        shown = Passed(found, call.receiver, call.frame.site(call.receiver))
        note_wait(machine, call.site, f"torch.amp.GradScaler.{name}", Cause.HOST_READ, found, shown)


def _is_fused(call: Call) -> bool:
    """Whether the optimizer itself checks for infinities, on the device."""
    held = call.first if call.passed else TOP
    if not isinstance(held, Reference) or not isinstance(held.target, Instance):
        return False
    return held.target.arguments.get("fused") == TRUE
