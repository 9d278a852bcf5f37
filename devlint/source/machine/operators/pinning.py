"""Pinned memory, which only an accelerator's driver provides."""

from __future__ import annotations

from devlint.model import Setting, SettingKind, SiteId, Step
from devlint.operators import Dimensions
from devlint.source import ir
from devlint.source.machine.domain.loops import Loop, is_inside
from devlint.source.machine.domain.values import TRUE, Tensor
from devlint.source.machine.heap.frames import Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.operators.availability import note_needed
from devlint.source.machine.operators.shapes import bytes_of
from devlint.source.walk import path, text

_OF_SEQUENCES = frozenset({"torch.from_numpy", "torch.FloatTensor", "torch.Tensor"})
"""Functions that make no tensors of single numbers: they get arrays and lists, which are seldom short if the
source code does not show their length."""
_OF_PICTURES = ("torchvision.datasets.", "torchvision.transforms.")
"""Functions that return images, or convert them to tensors."""
_OF_MATRICES = 2
"""A batch with more dimensions is one of matrices."""


def pinned(tensor: Tensor, loop: Loop | None) -> bool | None:
    """Whether a tensor is in pinned memory. One of known size that the turn of a loop has made is not, unless
    the program asks for it."""
    if tensor.pinned is not None or loop is None or bytes_of(tensor) is None:
        return tensor.pinned
    return False if is_inside(tensor.born, loop) else None


def computed(source: Tensor, rank: Dimensions) -> bool | None:
    """Whether what is computed from a tensor is in pinned memory: it is not, if it is as large. How much a
    reduction leaves is not known."""
    if rank is Dimensions.ZERO_WITHOUT_DIM:
        return None
    if source.pinned is not True:
        return source.pinned
    return False if rank is Dimensions.OPERANDS and has_known_size(source) else None


def has_known_size(held: Tensor) -> bool:
    """Whether the size of a batch in bytes is known. Images, arrays, lists and matrices take more than a
    page, especially several at once."""
    if bytes_of(held) is not None or (held.shape is not None and len(held.shape) > _OF_MATRICES):
        return True
    made = (step.operator for step in held.origin.steps if step.step is Step.MADE)
    return any(each.startswith(_OF_PICTURES) or each in _OF_SEQUENCES for each in made)


def note(machine: Machine, site: SiteId, operator: str) -> None:
    """Record memory that is pinned outside of branches that test for an accelerator. Without one, torch
    raises (2.13: "Cannot access accelerator device"), where a loader only warns."""
    _keep(machine, site, operator)
    note_needed(machine, site, operator, function=operator)


def note_loader(machine: Machine, loader: str, pin: Passed) -> None:
    """Record `pin_memory=True`, or a condition for it that holds on MPS as on CUDA."""
    if _is_any_but_cpu(pin.expression):
        _keep(machine, pin.site, loader, text(pin.expression))
    elif pin.value == TRUE:
        _keep(machine, pin.site, loader)


def _keep(machine: Machine, site: SiteId, operator: str, condition: str = "") -> None:
    if machine.asks_for(SettingKind.PINNED) and not machine.guarded:
        event = Setting(site, None, machine.root_confidence, SettingKind.PINNED, operator, condition)
        machine.process.facts.pins.append(event)


def _is_any_but_cpu(expression: ir.Expression) -> bool:
    """`device.type != "cpu"`."""
    match expression:
        case ir.Compare(left=ir.Attribute(name="type"), rest=(("ne", ir.Constant(value="cpu")),)):
            return bool(path(expression.left))
        case _:
            return False


def settle(machine: Machine) -> None:
    """Record the pinning of programs that continue without an accelerator, or on MPS, which cannot pin
    memory."""
    facts = machine.process.facts
    for event in facts.pins:
        if facts.asks_for_mps if event.detail else facts.asked is not None:
            machine.note(event)
