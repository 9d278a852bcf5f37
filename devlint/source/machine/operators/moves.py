"""Moves of tensors: `.to()`, `.cuda()`, `.cpu()`, `.type()` and `.type_as()`."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import NamedTuple

from devlint.model import (
    CPU,
    UNKNOWN,
    Cause,
    Concrete,
    Confidence,
    Device,
    HotPath,
    Move,
    OriginStep,
    Relation,
    SettingKind,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
    Transfer,
    compare,
    may_be_accelerator,
)
from devlint.source import ir
from devlint.source.machine.domain.identity import Outcomes, outcomes_of_none
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.loops import FEW_TURNS, Loop, is_inside
from devlint.source.machine.domain.tensors import tensor_meant, tensor_of
from devlint.source.machine.domain.values import (
    DTYPE,
    NONE,
    TOP,
    TRUE,
    DeviceValue,
    External,
    Input,
    Known,
    Method,
    Tensor,
    Top,
    Union,
    Value,
    changed,
    new_serial,
)
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.operators import accelerator, implicit
from devlint.source.machine.operators.availability import note_hard_coded
from devlint.source.machine.operators.devices import current, note_query, spelled_out, wanted
from devlint.source.machine.operators.operands import operand
from devlint.source.machine.operators.shapes import VIEWS_OF_ALL, bytes_of
from devlint.source.machine.operators.waits import note_wait
from devlint.source.walk import path, walk

ACCELERATOR_METHODS = {"cuda": "cuda", "xpu": "xpu", "hpu": "hpu", "npu": "npu", "mtia": "mtia"}
"""Methods that move to the current device of a type, or to one of its ordinals."""
MOVES = frozenset({"to", "cpu", "type", "type_as", *ACCELERATOR_METHODS})
_LEGACY_TYPE = re.compile(r"torch\.(cuda\.)?[A-Z]\w*Tensor$")


class Target(NamedTuple):
    """The target of a move, and its other effects."""

    place: DeviceValue | None
    """The device; None if only the dtype changes."""
    site: SiteId | None
    """The expression that names the device."""
    changes_dtype: bool
    non_blocking: bool
    copy: bool
    outcomes: Outcomes = frozenset()
    """The tests on which it depends."""


def target_of(machine: Machine, method: str, call: Call) -> Target:
    """The target of `receiver.method(...)`."""
    target = _target_of(machine, method, call)
    if target.place is not None:
        accelerator.use(machine, call.site, target.place.device)
    return target


def leads_to_named(method: str, call: Call) -> bool:
    """Whether a move's target is a device that the program names, not the host or a tensor's device."""
    supplied = call.argument("device", 0)
    match None if supplied is None else supplied.value:
        case DeviceValue(of_tensor=of_tensor):
            return not of_tensor
        case Known(value=str(name)):
            return name != str(CPU)
        case _:
            return method in ACCELERATOR_METHODS


def _target_of(machine: Machine, method: str, call: Call) -> Target:
    asked = call.value("non_blocking")
    non_blocking = asked is not None and machine.truth(asked) is not False
    copy = call.value("copy") == TRUE
    if method == "cpu":
        return Target(DeviceValue(CPU), None, changes_dtype=False, non_blocking=False, copy=False)
    if method in ACCELERATOR_METHODS:
        return _to_accelerator(machine, ACCELERATOR_METHODS[method], call, non_blocking=non_blocking)
    if method in ("type", "type_as"):
        return _by_type(machine, method, call, non_blocking=non_blocking)
    found = _place_of_to(machine, call)
    dtype = call.argument("dtype", 1)
    has_second_dtype = dtype is not None and bool(dtype.keyword or _is_dtype(dtype.value))
    place, named, is_dtype = found
    given = call.argument("device") or call.argument("", 0)
    outcomes = _outcomes(given)
    return Target(place, named, is_dtype or has_second_dtype, non_blocking, copy, outcomes)


def _outcomes(given: Passed | None) -> Outcomes:
    """What holds where the device of a move is not None, in which case it moves nothing."""
    held = None if given is None else given.value
    if not isinstance(held, Union):
        return frozenset()
    return outcomes_of_none(held, next(each for each in held.alternatives if each != NONE))


def _place_of_to(machine: Machine, call: Call) -> tuple[DeviceValue | None, SiteId | None, bool]:
    """The device of a `.to(...)`, the site that names it, and whether the dtype changes."""
    device = call.argument("device")
    if device is not None:
        return (None, None, False) if device.value == NONE else (wanted(machine, device), device.site, False)
    other = call.argument("other") or call.argument("tensor")
    first = other or call.argument("", 0)
    if first is None:
        return (None, None, call.argument("dtype") is not None) if _plain(call) else _unknown()
    if first.value == NONE or _is_dtype(first.value):
        return None, None, True
    beside = tensor_meant(first.value)
    if beside is not None:
        note_query(machine, first.site, beside.device)
        return DeviceValue(beside.device, "", beside.confidence), None, True
    place = wanted(machine, first)
    if isinstance(first.value, Input):
        # A dtype may be passed too.
        return place, None, False
    return place, first.site, False


def _plain(call: Call) -> bool:
    return not any(each.stars for each in call.passed)


def _unknown() -> tuple[DeviceValue, None, bool]:
    return DeviceValue(UNKNOWN), None, True


def _is_dtype(held: Value) -> bool:
    match held:
        case Union(alternatives=members):
            return all(map(_is_dtype, members))
        case External(name=name):
            return name.startswith("torch.") or name.endswith(".dtype")
        case Method(name="dtype"):
            return True  # of a tensor or a module that is not known
        case _:
            return held == DTYPE


def dtype_named(call: Call) -> str | None:
    """The dtype of a `.to(...)` or `.type(...)` without a device; None if it is not known."""
    supplied = call.argument("dtype", 0)
    held = TOP if supplied is None else supplied.value
    return held.name.removeprefix("torch.") if isinstance(held, External) else None


def _to_accelerator(machine: Machine, kind: str, call: Call, *, non_blocking: bool) -> Target:
    supplied = call.argument("device", 0)
    if supplied is None or supplied.value == NONE:
        if kind == "cuda":
            note_hard_coded(machine, call.site, ".cuda()")
        device = current(machine, Concrete(kind))
        return Target(DeviceValue(device), None, False, non_blocking, False)
    note_hard_coded(machine, call.site, ".cuda()")
    place = wanted(machine, supplied)
    if isinstance(place.device, Symbol):
        place = changed(place, device=Symbol(place.device.name, SymbolKind.DEVICE))
    elif place.device == UNKNOWN and isinstance(supplied.value, (Top, Union)):
        place = DeviceValue(UNKNOWN)
    return Target(place, supplied.site, False, non_blocking, False)


def _by_type(machine: Machine, method: str, call: Call, *, non_blocking: bool) -> Target:
    first = call.argument("dtype", 0) or call.argument("other", 0)
    held = TOP if first is None else first.value
    if method == "type_as":
        other = tensor_of(held)
        if other is not None:
            note_query(machine, call.site, other.device)
        place = DeviceValue(UNKNOWN if other is None else other.device)
        return Target(place, None, True, non_blocking, False)
    if isinstance(held, DeviceValue):
        return Target(DeviceValue(held.device), None, True, non_blocking, False)
    name = held.name if isinstance(held, External) else held.value if isinstance(held, Known) else None
    if isinstance(name, str) and _LEGACY_TYPE.match(name):
        if ".cuda." in name:
            machine.setting(SettingKind.LEGACY_TYPE, call.site, name)
        device = current(machine, Concrete("cuda")) if ".cuda." in name else CPU
        return Target(DeviceValue(device), None, True, non_blocking, False)
    if isinstance(held, External) or first is None:
        return Target(None, None, True, non_blocking, False)
    return Target(DeviceValue(UNKNOWN), None, True, non_blocking, False)


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
    def kept(self) -> bool:
        """Whether the program uses the result."""
        return self.statement is None


def move_tensor(machine: Machine, move: TensorMove) -> Tensor:
    """The moved tensor; records the move, the copy and the wait."""
    site, tensor, target, device = move.site, move.tensor, move.target, move.device
    place = target.place
    if place is not None:
        implicit.settled(machine, tensor)
    _note_move(machine, move)
    if place is None:
        return changed(tensor, role="", attribute="", boolean=None, serial=tensor.serial)
    relation = compare(tensor.device, device)
    crosses = relation in (Relation.DIFFERENT, Relation.DIFFERENT_ON_ACCELERATOR)
    if crosses:
        _note_transfer(machine, move)
    down = device == CPU and may_be_accelerator(tensor.device)
    if down and not target.non_blocking:
        note_wait(machine, site, move.operator, Cause.HOST_COPY, tensor, move.receiver)
    step = OriginStep(Step.MOVED, site, device, move.operator)
    confidence = place.confidence
    if isinstance(device, Symbol) or device == UNKNOWN:
        confidence = least_sure(place.confidence, Confidence.LIKELY)
    return changed(
        tensor,
        device=device,
        origin=tensor.origin.then(step),
        role="" if crosses or relation is Relation.UNKNOWN else tensor.role,
        attribute="",
        confidence=confidence,
        pinned=None,
        download=(site, machine.waits) if down and target.non_blocking else None,
        serial=tensor.serial if relation is Relation.SAME and not target.copy else new_serial(),
        born=tensor.born if relation is Relation.SAME else machine.execution.loop,
        element=tensor.element,
        spelled=spelled_out(place),
        outcomes=target.outcomes if crosses else tensor.outcomes | target.outcomes,
        boolean=tensor.boolean if not target.changes_dtype else None,
    )


def _note_move(machine: Machine, move: TensorMove) -> None:
    """Record a move that some rule may judge."""
    tensor, target, receiver = move.tensor, move.target, move.receiver
    last = tensor.origin.last
    made_here = last is not None and (
        last.site == receiver.site or _is_within(last, receiver) or _is_made_before(machine, tensor, receiver)
    )
    if target.place is not None and target.place.any_ordinal and tensor.device != CPU:
        return  # it may be another one of its type
    if compare(tensor.device, move.device) is Relation.SAME:
        if machine.execution.loop is not None and _is_kept(machine, receiver):
            machine.execution.loop.turn.idle.add(move.site)
    else:
        machine.log.refute(move.site)
        if move.kept and not made_here:
            return
    confidence = least_sure(tensor.confidence, machine.root_confidence)
    if not move.kept and tensor.source is not None:
        # A move in place, such as that of a module, drops nothing.
        confidence = Confidence.POSSIBLE
    elif not move.kept:
        machine.log.drop(tensor.serial, move.device, move.site)
    elif target.place is not None and target.place.confidence is not Confidence.CERTAIN:
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


def _is_within(step: OriginStep, receiver: Passed) -> bool:
    """Whether the moved expression itself creates the tensor: `(torch.rand(n) > 0.5).to(device)`."""
    if step.step is not Step.MADE or isinstance(receiver.expression, (ir.Name, ir.Attribute, ir.Subscript)):
        return False
    base = receiver.site - receiver.expression.id
    return any(getattr(node, "id", None) == step.site - base for node in walk((receiver.expression,)))


def _is_made_before(machine: Machine, tensor: Tensor, receiver: Passed) -> bool:
    """Whether an earlier statement of the same turn of a loop creates the value of a name:
    `x = torch.rand(8)` before `x = x.to(device)`."""
    loop, last, expression = machine.execution.loop, tensor.origin.last, receiver.expression
    if loop is None or tensor.born is not loop or last is None or last.step is not Step.MADE:
        return False
    frame = machine.frame
    if machine.optional > frame.branches or not isinstance(expression, ir.Name):
        return False
    bindings = _bindings(frame, loop, expression.name)
    before = list(takewhile(lambda each: each is not frame.statement, bindings))
    return bool(before) and frame.site(before[-1].value) == last.site


def _bindings(frame: Frame, loop: Loop, name: str) -> list[ir.Assign | ir.AugmentedAssign]:
    """The statements that bind a name in repeated code: the body of a loop, or a function that it calls."""
    body = frame.file.body if frame.function is None else frame.function.node.body
    repeated = walk(body) if isinstance(body, tuple) else iter(())
    if loop.frame is frame:
        loops = (each for each in repeated if isinstance(each, (ir.For, ir.While)))
        repeated = (each for node in loops if frame.site(node) == loop.site for each in walk((node,)))
    return [
        each
        for each in repeated
        if (isinstance(each, ir.Assign) and name in map(path, each.targets))
        or (isinstance(each, ir.AugmentedAssign) and path(each.target) == name)
    ]


def _sureness(target: Target) -> Confidence:
    return Confidence.CERTAIN if target.place is None else target.place.confidence


def _note_transfer(machine: Machine, move: TensorMove) -> None:
    tensor, target, loop = move.tensor, move.target, machine.execution.loop
    kept = _is_kept(machine, move.receiver)
    same = target.place is None or not target.place.any_ordinal  # each turn may have another ordinal
    stays = same and not kept and loop is not None and not is_inside(tensor.born, loop)
    event = Transfer(
        move.site,
        None,
        least_sure(tensor.confidence, machine.root_confidence, _sureness(target)),
        move.operator,
        operand(tensor, move.receiver, "self"),
        tensor.device,
        move.device,
        non_blocking=target.non_blocking,
        pinned=tensor.pinned,
        loop_invariant=stays and _is_own(loop, machine),
        repeated=same and not kept and _is_repeated(tensor, loop),
        bytes=bytes_of(tensor),
        made_inline=_is_made_there(tensor, move.receiver),
    )
    machine.note(event, (tensor.source,) if tensor.source is not None else ())


def _is_made_there(tensor: Tensor, receiver: Passed) -> bool:
    """Whether the moved expression creates a tensor, or views all of a new one:
    `torch.tensor(labels).view(-1, 1)`."""
    made = tensor.origin.made()
    expression, base = receiver.expression, receiver.site - receiver.expression.id
    while isinstance(expression, ir.CallExpression) and isinstance(expression.function, ir.Attribute):
        if expression.function.name not in VIEWS_OF_ALL:
            break
        expression = expression.function.value
    return made is not None and made.site == base + expression.id


def _is_kept(machine: Machine, receiver: Passed) -> bool:
    """Whether the moved tensor replaces the original, so that only the first turn copies:
    `self.table = self.table.to(x.device)`."""
    statement, place = machine.frame.statement, path(receiver.expression)
    if not place or not isinstance(statement, ir.Assign):
        return False
    return any(path(target) == place for target in statement.targets)


def _is_own(loop: Loop | None, machine: Machine) -> bool:
    """Whether a loop of many turns belongs to the running function itself."""
    if loop is None or (loop.turns is not None and loop.turns < FEW_TURNS):
        return False
    return loop.whole is None and loop.frame is machine.frame


def _is_repeated(tensor: Tensor, loop: Loop | None) -> bool:
    """Whether an enclosing loop, or the callers of a forward, move the same tensor repeatedly."""
    kept = bool(tensor.attribute) and tensor.left_behind
    while loop is not None:
        if kept and loop.whole is HotPath.FORWARD:
            return True
        if tensor.born is not None and is_inside(tensor.born, loop):
            return False
        if loop.whole is HotPath.FORWARD or loop.turns is None or loop.turns >= FEW_TURNS:
            return True
        loop = loop.outer
    return False
