"""Tensors: how they are created, and which values count as tensors."""

from __future__ import annotations

from devlint.model import CPU, Confidence, Device, Origin, OriginStep, Presumed, Rank0, SiteId, Step
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import NONE, Array, Tensor, Union, Value, changed


def made(
    device: Device,
    site: SiteId,
    operator: str,
    *,
    implicit: bool = False,
    tied: bool = False,
    rank0: Rank0 = None,
    boolean: bool | None = None,
    confidence: Confidence = Confidence.CERTAIN,
    born: Loop | None = None,
) -> Tensor:
    """A new tensor, with the place that creates it."""
    step = OriginStep(Step.MADE, site, device, operator, implicit=implicit, tied=tied)
    return Tensor(
        device,
        Origin((step,)),
        rank0=rank0,
        boolean=boolean,
        confidence=confidence,
        serial=new_serial(),
        born=born,
    )


def as_parameter(tensor: Tensor, **fields: object) -> Tensor:
    """A tensor as a parameter."""
    return changed(tensor, role="parameter", floating=is_floating_with_gradient(tensor), **fields)


def is_floating_with_gradient(tensor: Tensor) -> bool:
    """Whether a tensor of which autograd keeps a gradient is floating point. Autograd takes complex numbers
    too, which a tensor of unknown dtype hardly holds."""
    return tensor.floating is not False


def tensor_of(held: Value) -> Tensor | None:
    """A value as a tensor, where an input counts as one."""
    if isinstance(held, Tensor):
        return held
    if isinstance(held, Input) and not held.refuted:
        return Tensor(
            held.device,
            held.origin,
            # Batches, values loaded from files, and those whose sizes the program reads have dimensions.
            rank0=Presumed.DIMENSIONS if _may_have_dimensions(held) else None,
            boolean=held.boolean,
            confidence=held.confidence,
            source=held,
            pinned=held.pinned,
            serial=id(held),
            born=held.born,
        )
    return None


def _may_have_dimensions(held: Input) -> bool:
    return held.device == CPU or held.of_forward or held.has_dimensions


def tensor_meant(held: Value) -> Tensor | None:
    """The tensor that a value is, or one of several on one device; None if it may be something else."""
    if isinstance(held, Input):
        return tensor_of(held) if held.evident or held.presumed else None
    if not isinstance(held, Union):
        return held if isinstance(held, Tensor) else None
    found = [tensor_meant(each) for each in held.alternatives if each != NONE]
    tensors = [each for each in found if each is not None]
    if len(tensors) < len(found) or len({each.device for each in tensors}) != 1:
        return None
    return max(tensors, key=lambda each: each.confidence.rank)


def is_empty(tensor: Tensor) -> bool:
    """Whether a tensor is known to have no elements."""
    return 0 in (tensor.shape or ())


def without_stand_ins(held: Value) -> Value:
    """An operand without the alternatives that have no elements: they stand in for a tensor where the program
    does not use it."""
    if not isinstance(held, Union):
        return held
    tensors = {each: tensor for each in held.alternatives if (tensor := tensor_of(each)) is not None}
    stand_ins = [each for each, tensor in tensors.items() if is_empty(tensor)]
    if not stand_ins or len(stand_ins) == len(tensors):
        return held
    return join_all(each for each in held.alternatives if each not in stand_ins)


def on_host(held: Value) -> bool:
    """Whether a value is a tensor on the host."""
    return isinstance(held, Tensor) and held.device == CPU


def of_turn(held: Value, loop: Loop | None) -> Value:
    """A value that a loop takes out of several: each turn takes another one."""
    match held:
        case Tensor():
            return changed(held, born=loop)
        case Array():
            return changed(held, held=False)
        case Union(alternatives=members):
            return Union(tuple(of_turn(each, loop) for each in members))
        case _:
            return held
