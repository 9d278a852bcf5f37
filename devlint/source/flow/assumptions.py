"""Operations that go wrong only if what came in from outside may lie on an accelerator.

In a module's forward it may: modules are what programs move. So it may in what a training step or another hot
path calls, and where the function itself names a device or asks for one. A function for which nothing of this
can be seen is as likely to prepare data on the host, and who wrote it knows which.
"""

from __future__ import annotations

from itertools import combinations

from devlint.model import (
    UNKNOWN,
    Device,
    Kind,
    Operand,
    Operation,
    Relation,
    Symbol,
    SymbolKind,
    compare,
    is_host,
)
from devlint.source.flow.class_info import CONSTRUCTOR, ClassInfo
from devlint.source.flow.frame import Frame

_COMPUTING_BASES = ("torch.nn.", "torch.autograd.", "torch.distributions.", "torchmetrics.")
"""How the canonical names begin of classes whose methods compute where their tensors are."""


def rests_on_assumption(event: Operation, frame: Frame) -> bool:
    """Whether an operation is on host tensors and on what came in from outside, wherever that is, and
    nothing in its function shows that this may be an accelerator."""
    if event.hot is not None or computes(frame) or _minds_devices(frame):
        return False
    placed = [operand for operand in event.operands if _is_placed(operand.device)]
    return bool(placed) and all(_came_in(operand) for operand in placed)


def computes(frame: Frame) -> bool:
    """Whether a function is a method of what computes on the device of its tensors, or stands in one."""
    inner: Frame | None = frame
    while inner is not None:
        if inner.info is not None:
            return _is_for_computing(inner.info, constructing=inner.qualname.endswith(f".{CONSTRUCTOR}"))
        inner = inner.enclosing
    return False


def _minds_devices(frame: Frame) -> bool:
    """Whether a function asks where one of its parameters is, or brings something down or up."""
    return bool(frame.evidence.located) or frame.evidence.leaves_device


def _is_for_computing(info: ClassInfo, *, constructing: bool) -> bool:
    """A module is made on the host, and moved later; a distribution is made of what lies on a device."""
    if info.is_module:
        return not constructing
    bases = (name for each in info.lineage() for name in each.outside)
    return any(name.startswith(_COMPUTING_BASES) for name in bases)


def _is_placed(device: Device) -> bool:
    return device != UNKNOWN and not is_host(device)


def _came_in(operand: Operand) -> bool:
    device = operand.device
    if operand.kind is Kind.MODULE or operand.is_off_host or operand.brought_down:
        return False
    return isinstance(device, Symbol) and device.kind is SymbolKind.TENSOR


def are_apart(event: Operation) -> bool:
    """Whether operands of an operation are on different devices, at least where there is an accelerator."""
    devices = {operand.device for operand in event.operands}
    return any(compare(one, other) in _APART for one, other in combinations(devices, 2))


_APART = (Relation.DIFFERENT, Relation.DIFFERENT_ON_ACCELERATOR)
