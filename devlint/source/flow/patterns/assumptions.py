"""Operations that go wrong only if what came in from outside may lie on an accelerator.

In a module's forward it may: modules are what programs move. So it may in what a training step or another hot
path calls, in a method by which a module answers, and where the function asks for the device of just this
operand, or brings it down. A function for which nothing of this can be seen is as likely to prepare data on
the host, and a method that gives nothing back is as likely to set its module up before anybody has moved it.
Of what was read of both, about half was wrong (docs/accuracy.md).
"""

from __future__ import annotations

from itertools import combinations

from devlint.model import (
    APART,
    UNKNOWN,
    Device,
    Kind,
    Operand,
    Operation,
    OriginStep,
    Step,
    Symbol,
    SymbolKind,
    compare,
    is_host,
)
from devlint.source.flow.state.class_info import ClassInfo
from devlint.source.flow.state.frame import OF_SELF, Frame

_COMPUTING_BASES = ("torch.nn.", "torch.autograd.", "torch.distributions.", "torchmetrics.")
"""How the canonical names begin of classes whose methods compute where their tensors are."""


def rests_on_assumption(event: Operation, frame: Frame) -> bool:
    """Whether an operation is on host tensors and on what came in from outside, wherever that is, or on the
    state of the module at work, and nothing in its function shows that this may be an accelerator."""
    if event.hot is not None or computes(frame):
        return False
    placed = [operand for operand in event.operands if _is_placed(operand.device)]
    # Who copies a tensor to the host in one place and reads it by NumPy as it is in another knows why.
    alone = not any(is_host(operand.device) for operand in event.operands)
    return bool(placed) and all(_came_in(operand, alone=alone) for operand in placed)


def is_drawn(event: Operation) -> bool:
    """Whether an operand is taken for a host tensor since a data loader gives it out, whose data set may hold
    what it gives out where it will be used."""
    return any(
        is_host(operand.device) and _came_from_loader(operand.origin.first) for operand in event.operands
    )


def _came_from_loader(first: OriginStep | None) -> bool:
    if first is None or not is_host(first.device):
        return False
    return first.step is Step.PARAMETER or first.operator == "torch.utils.data.DataLoader"


def computes(frame: Frame) -> bool:
    """Whether a function is a method of what computes on the device of its tensors and gives something back,
    or stands in one."""
    inner: Frame | None = frame
    while inner is not None:
        if inner.info is not None:
            constructing = inner.is_constructor
            return inner.evidence.answers and _is_for_computing(inner.info, constructing=constructing)
        inner = inner.enclosing
    return False


def _is_for_computing(info: ClassInfo, *, constructing: bool) -> bool:
    """A module is made on the host, and moved later; a distribution is made of what lies on a device."""
    if info.is_module:
        return not constructing
    bases = (name for each in info.lineage() for name in each.outside)
    return any(name.startswith(_COMPUTING_BASES) for name in bases)


def _is_placed(device: Device) -> bool:
    return device != UNKNOWN and not is_host(device)


def _came_in(operand: Operand, *, alone: bool) -> bool:
    device = operand.device
    if not isinstance(device, Symbol) or operand.is_off_host or (operand.brought_down and not alone):
        return False
    if operand.kind is Kind.MODULE:
        return device == OF_SELF
    return device == OF_SELF or device.kind is SymbolKind.TENSOR


def are_apart(event: Operation) -> bool:
    """Whether operands of an operation are on different devices, at least where there is an accelerator."""
    devices = {operand.device for operand in event.operands}
    return any(compare(one, other) in APART for one, other in combinations(devices, 2))
