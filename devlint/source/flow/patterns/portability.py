"""What ties a program to machines of one kind: accelerators in worker processes, and pinned memory."""

from __future__ import annotations

from devlint.model import Certainty, Device, Event, Setting, SettingKind, SiteId, is_accelerator
from devlint.source import ir
from devlint.source.flow.operators.operands import tensors_in
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.surroundings import Program
from devlint.source.flow.state.values import Literal, Tensor, Value
from devlint.source.walk import path, text

PIN = "torch.Tensor.pin_memory"


def note_use(frame: Frame, site: SiteId, device: Device) -> None:
    """Notes that something is asked of an accelerator, which a forked worker cannot do."""
    if is_accelerator(device) and not frame.environment.dead and not frame.silent:
        kind = SettingKind.ACCELERATOR_IN_WORKER
        use = Setting(site, frame.hot, Certainty.PROVEN, kind, str(device))
        frame.program.workers.note_use(frame.identity, use)


def note_returned(frame: Frame, value: Value, expression: ir.Expression) -> None:
    """Notes that a data set gives away what it keeps on an accelerator: `return self.images[index]`."""
    if frame.info is None or not frame.info.is_data_set:
        return
    for tensor, written, _ in tensors_in(value, expression):
        kept = written
        while isinstance(kept, ir.Subscript):
            kept = kept.value
        if isinstance(tensor, Tensor) and path(kept).startswith("self."):
            note_use(frame, written.id, tensor.device)


def is_for_here(event: Event, program: Program) -> bool:
    """Whether an event means anything in this program as a whole: pinned memory does only where there may be
    no accelerator, or one that cannot have any."""
    if not isinstance(event, Setting) or event.kind is not SettingKind.PINNED:
        return True
    return "mps" in program.asked_for if event.detail else program.runs_on_host


def note_pinned(frame: Frame, site: SiteId, operator: str) -> None:
    """Notes memory that is pinned whether there is an accelerator or not."""
    if not frame.guarded:
        frame.note_setting(SettingKind.PINNED, site, operator)


def note_pinning_loader(frame: Frame, loader: str, pin: Passed) -> None:
    """Notes `pin_memory=True`, and a condition that holds on MPS as it does on CUDA."""
    if frame.guarded:
        return
    if pin.value == Literal(value=True):
        frame.note_setting(SettingKind.PINNED, pin.expression.id, loader)
    elif _is_any_but_cpu(pin.expression):
        frame.note_setting(SettingKind.PINNED, pin.expression.id, loader, text(pin.expression))


def _is_any_but_cpu(expression: ir.Expression) -> bool:
    """`device.type != "cpu"`."""
    match expression:
        case ir.Compare(left=left, rest=(("ne", ir.Constant(value="cpu")),)):
            return path(left).endswith("device.type")
        case _:
            return False
