"""Moves of tensors: `.to()`, `.cuda()`, `.cpu()`, `.type()` and `.type_as()`."""

from __future__ import annotations

from typing import NamedTuple

from devlint.model import (
    CPU,
    UNKNOWN,
    Cause,
    Confidence,
    Device,
    Move,
    OriginStep,
    Relation,
    SiteId,
    Step,
    Symbol,
    Transfer,
    compare,
    may_be_accelerator,
)
from devlint.operators import Dimensions
from devlint.source import ir
from devlint.source.machine.domain.dtypes import of_tensor
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import is_empty
from devlint.source.machine.domain.values import Tensor, changed
from devlint.source.machine.heap.frames import Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.operators import implicit
from devlint.source.machine.operators.devices import spelled_out
from devlint.source.machine.operators.fresh import is_made_before, is_of_this_turn, is_within
from devlint.source.machine.operators.helpers import is_made_by_helper
from devlint.source.machine.operators.move_targets import Target
from devlint.source.machine.operators.operands import operand
from devlint.source.machine.operators.pinning import computed, pinned
from devlint.source.machine.operators.repetition import (
    is_invariant,
    is_optimized,
    is_repeated,
    is_uploaded_before,
)
from devlint.source.machine.operators.shapes import bytes_of
from devlint.source.machine.operators.waits import note_wait
from devlint.source.walk import path


class TensorMove(NamedTuple):
    """A move of a tensor in a program."""

    site: SiteId
    operator: str
    receiver: Passed
    tensor: Tensor
    target: Target
    statement: SiteId | None
    """The statement that drops the result; None if the result is used."""
    assignable: bool
    """Whether the result can be assigned to the tensor's name."""

    @property
    def device(self) -> Device:
        """The device of the result."""
        place = self.target.place
        return self.tensor.device if place is None else place.device

    @property
    def by_method(self) -> bool:
        """Whether a method of the tensor moves it. A function such as `torch.as_tensor` also takes what is no
        tensor."""
        return self.operator.startswith("torch.Tensor.")

    @property
    def kept(self) -> bool:
        """Whether the program uses the result."""
        return self.statement is None


def move_tensor(machine: Machine, move: TensorMove) -> Tensor:
    """The moved tensor; records the move, the copy and the wait."""
    site, tensor, target, device = move.site, move.tensor, move.target, move.device
    place = target.place
    dtype = target.dtype if target.changes_dtype else of_tensor(tensor)
    if place is not None:
        implicit.settled(machine, tensor)
    if move.by_method:
        _note_move(machine, move)
    if place is None:
        return changed(
            tensor,
            role="",
            attribute="",
            boolean=dtype.boolean,
            floating=dtype.floating,
            serial=tensor.serial,
        )
    relation = compare(tensor.device, device)
    crosses = relation in (Relation.DIFFERENT, Relation.DIFFERENT_ON_ACCELERATOR)
    copies = not is_empty(
        tensor
    )  # torch neither copies nor waits for nothing (aten/src/ATen/native/Copy.cpp)
    if crosses and copies:
        _note_transfer(machine, move)
    down = device == CPU and may_be_accelerator(tensor.device)
    if copies and (down or (device == CPU and tensor.device == UNKNOWN)) and not target.non_blocking:
        note_wait(machine, site, move.operator, Cause.HOST_COPY, tensor, move.receiver)
    step = OriginStep(Step.MOVED, site, device, move.operator)
    converts_alone = relation is Relation.SAME and move.operator == "torch.Tensor.type"
    confidence = place.confidence
    if isinstance(device, Symbol) or device == UNKNOWN:
        confidence = least_sure(place.confidence, Confidence.LIKELY)
    return changed(
        tensor,
        device=device,
        origin=tensor.origin if converts_alone else tensor.origin.then(step),
        role="" if crosses or relation is Relation.UNKNOWN else tensor.role,
        attribute="",
        confidence=confidence,
        pinned=computed(tensor, Dimensions.OPERANDS) if converts_alone else None,
        download=(site, machine.waits) if down and target.non_blocking else None,
        serial=tensor.serial if relation is Relation.SAME and not target.copy else new_serial(),
        born=tensor.born if relation is Relation.SAME else machine.execution.loop,
        element=tensor.element,
        spelled=spelled_out(place),
        outcomes=target.outcomes if crosses else tensor.outcomes | target.outcomes,
        boolean=dtype.boolean,
        floating=dtype.floating,
        mixed_at=None,
    )


def _note_move(machine: Machine, move: TensorMove) -> None:
    """Record a move that some rule may judge."""
    tensor, target, receiver = move.tensor, move.target, move.receiver
    last = tensor.origin.last
    on_each_path = machine.optional <= machine.frame.branches
    made_here = last is not None and (
        last.site == receiver.site
        or is_within(last, receiver)
        or is_made_by_helper(machine, last, receiver)
        or (on_each_path and is_made_before(machine, tensor, receiver))
    )
    if target.place is not None and target.place.any_ordinal and tensor.device != CPU:
        return  # it may be another one of its type
    if compare(tensor.device, move.device) is Relation.SAME:
        if machine.execution.loop is not None and _is_kept(machine, receiver):
            machine.execution.loop.turn.idle.add(move.site)
        if tensor.mixed_at is not None and move.kept:
            return  # the operation that makes it raises; the move may show what is wrong with it
    else:
        machine.log.refute(move.site)
        if move.kept and (not made_here or is_empty(tensor)):
            return
    confidence = least_sure(tensor.confidence, machine.root_confidence)
    if not move.kept and tensor.source is not None:
        # A move in place, such as that of a module, drops nothing.
        confidence = Confidence.POSSIBLE
    elif not move.kept:
        machine.log.drop(tensor.serial, move.device, move.site)
    elif _is_handed_over(machine, receiver.expression) or (
        target.place is not None and target.place.confidence is not Confidence.CERTAIN
    ):
        confidence = least_sure(confidence, Confidence.LIKELY)
    event = Move(
        move.site,
        None,
        confidence,
        move.operator,
        operand(tensor, receiver, "self"),
        tensor.device,
        move.device,
        move.kept,
        copy=target.copy,
        changes_dtype=target.changes_dtype,
        target_site=target.site,
        statement=move.statement,
        assignable=move.assignable,
        made_inline=made_here,
    )
    machine.note(event, (tensor.source,) if tensor.source is not None else ())


def _is_handed_over(machine: Machine, moved: ir.Expression) -> bool:
    """Whether a function moves what it was given, and stands in another file than the program: it may have
    other callers."""
    function = machine.frame.function
    if function is None or machine.frame.file is machine.program:
        return False
    while not isinstance(moved, ir.Name):
        match moved:
            case ir.CallExpression(function=ir.Attribute(value=inner)) | ir.Attribute(value=inner):
                moved = inner
            case _:
                return False
    return any(each.name == moved.name for each in function.node.parameters)


def _sureness(target: Target) -> Confidence:
    return Confidence.CERTAIN if target.place is None else target.place.confidence


def _note_transfer(machine: Machine, move: TensorMove) -> None:
    tensor, target, loop = move.tensor, move.target, machine.execution.loop
    kept = _is_kept(machine, move.receiver)
    same = target.place is None or not target.place.any_ordinal  # each turn may have another ordinal
    may_stay = same and not kept
    is_again = is_uploaded_before(machine, tensor, move.device) and same
    event = Transfer(
        move.site,
        None,
        least_sure(tensor.confidence, machine.root_confidence, _sureness(target)),
        move.operator,
        operand(tensor, move.receiver, "self"),
        tensor.device,
        move.device,
        non_blocking=target.non_blocking,
        pinned=pinned(tensor, loop),
        loop_invariant=may_stay and is_invariant(machine, tensor),
        repeated=(may_stay and is_repeated(tensor, loop)) or is_again,
        optimized=is_optimized(machine, tensor),
        bytes=bytes_of(tensor),
        made_inline=is_of_this_turn(machine, tensor, move.receiver),
    )
    machine.note(event, (tensor.source,) if tensor.source is not None else ())


def _is_kept(machine: Machine, receiver: Passed) -> bool:
    """Whether the moved tensor replaces the original, so that only the first turn copies:
    `self.table = self.table.to(x.device)`."""
    statement, place = machine.frame.statement, path(receiver.expression)
    if not place or not isinstance(statement, ir.Assign):
        return False
    return any(path(target) == place for target in statement.targets)
