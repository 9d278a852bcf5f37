"""`.to()`, `.cuda()`, `.cpu()` and the like, on tensors, modules and batches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from devlint.model import (
    CPU,
    UNKNOWN,
    Cause,
    Certainty,
    Concrete,
    Device,
    Move,
    Operand,
    OriginStep,
    SiteId,
    Step,
    Transfer,
    is_accelerator,
    is_host,
    may_be_accelerator,
)
from devlint.source import ir
from devlint.source.flow.evidence.uses import is_used_as_tensor
from devlint.source.flow.modules.moved_modules import replace_module
from devlint.source.flow.operators import places, waits
from devlint.source.flow.operators.operands import operand
from devlint.source.flow.patterns.portability import note_use
from devlint.source.flow.patterns.strictness import note_unkept_move
from devlint.source.flow.state.frame import OF_SELF, Frame, Passed
from devlint.source.flow.state.lattice import join_all
from devlint.source.flow.state.values import (
    PARAMETER_MAKERS,
    TOP,
    Alternatives,
    Batch,
    DeviceValue,
    External,
    Literal,
    Module,
    Tensor,
    Value,
    as_device,
)
from devlint.source.walk import path


@dataclass(frozen=True, slots=True)
class _Flags:
    """`non_blocking=True`, `copy=True`."""

    non_blocking: bool | None = False
    """None where the program works it out: `non_blocking=pinned`."""
    copy: bool = False


@dataclass(frozen=True, slots=True)
class _Request:
    """What the arguments of a move ask for."""

    target: DeviceValue | None
    """None where only the dtype or the memory format changes."""
    flags: _Flags = _Flags()
    changes_dtype: bool = False
    target_site: SiteId | None = None
    """The expression that names the target."""


def move(frame: Frame, call: ir.Call, receiver: Value, name: str, passed: Sequence[Passed]) -> Value:
    """The value that a move gives, and the events that it means."""
    # `move = x.to; move(device)` names its receiver elsewhere.
    owner = call.function.value if isinstance(call.function, ir.Attribute) else call.function
    request = _request(frame, call, receiver, name, passed)
    if request.target is not None:
        _start_accelerator(frame, call, request.target.device)
    match receiver:
        case Tensor():
            return _move_tensor(frame, call, owner, receiver, name, request)
        case Alternatives():
            moved = [_move_tensor(frame, call, owner, tensor, name, request) for tensor in receiver.tensors]
            return join_all(list(moved))
        case Module():
            return _move_module(frame, call, owner, receiver, name, request)
        case Batch():
            return _move_batch(frame, call, owner, receiver, name, request)
        case _:
            return TOP


def _move_batch(
    frame: Frame, call: ir.Call, owner: ir.Expression, batch: Batch, name: str, request: _Request
) -> Value:
    """An object that holds tensors: some move themselves, some give another, and of some it is not known."""
    moved = replace(batch, tensor=_moved(call, batch.tensor, name, request))
    if batch.tensor.device != moved.tensor.device:
        _note_transfer(frame, call, batch.tensor, owner, moved.tensor.device, name, request)
    if frame.dropped == call.id and not batch.in_place:
        note_unkept_move(frame, call.id, f"torch.Tensor.{name}", owner)
    if path(owner) and (batch.in_place or frame.dropped == call.id):
        frame.bind(path(owner), moved if batch.in_place else TOP)
    return moved


def _request(frame: Frame, call: ir.Call, receiver: Value, name: str, passed: Sequence[Passed]) -> _Request:
    keywords = {argument.keyword: argument for argument in passed if argument.keyword}
    positional = [argument for argument in passed if not argument.keyword and not argument.stars]
    flags = _Flags(_non_blocking(positional, keywords), _is_true(keywords.get("copy")))
    if name == "cpu":
        return _Request(DeviceValue(CPU, '"cpu"'), flags)
    if name in {"cuda", "xpu"}:
        return _accelerator_request(
            frame, call, name, positional[0] if positional else keywords.get("device"), flags
        )
    if name == "type":
        return _type_request(positional)
    if name == "type_as":
        other = positional[0].value if positional else TOP
        device = other.device if isinstance(other, Tensor) and other.evident else UNKNOWN
        return _Request(DeviceValue(device), changes_dtype=True)
    if any(argument.stars for argument in passed):
        return _Request(DeviceValue(UNKNOWN), changes_dtype=True)
    return _to_request(frame, receiver, positional, keywords, flags)


def _type_request(positional: Sequence[Passed]) -> _Request:
    """`.type(torch.float16)` stays, `.type(torch.cuda.FloatTensor)` moves, and a type kept in a name may do
    either."""
    given = positional[0].value if positional else TOP
    if isinstance(given, External) and "cuda" in given.name:
        return _Request(DeviceValue(Concrete("cuda")), changes_dtype=True)
    stays = (
        isinstance(given, External) or path(positional[0].expression).endswith("dtype")
        if positional
        else True
    )
    return _Request(None if stays else DeviceValue(UNKNOWN), changes_dtype=True)


def _accelerator_request(
    frame: Frame, call: ir.Call, name: str, ordinal: Passed | None, flags: _Flags
) -> _Request:
    if ordinal is None or ordinal.value == Literal(None):
        places.note_hard_coded(frame, call.id, name)
        return _Request(DeviceValue(Concrete(name), f'"{name}"'), flags=flags)
    place = places.wanted(frame, ordinal)
    if isinstance(ordinal.value, Literal) and isinstance(ordinal.value.value, int):
        places.note_hard_coded(frame, call.id, str(place.device))
        if isinstance(place.device, Concrete):
            places.note_ordinal(frame, call.id, place.device)
        return _Request(DeviceValue(place.device, f'"{place.device}"'), flags=flags)
    return _Request(place, target_site=ordinal.expression.id, flags=flags)


def _is_dtype(frame: Frame, argument: Passed) -> bool:
    """Whether what a move is given is a dtype, by its name, or because the function takes it for one."""
    name = path(argument.expression)
    if name.endswith("dtype") or name in frame.evidence.dtypes:
        return True
    return isinstance(argument.value, External) and argument.value.name.startswith(("torch.", "numpy."))


def _to_request(
    frame: Frame,
    receiver: Value,
    positional: Sequence[Passed],
    keywords: dict[str, Passed],
    flags: _Flags,
) -> _Request:
    target: DeviceValue | None = None
    target_site: SiteId | None = None
    changes_dtype = not keywords.keys().isdisjoint({"dtype", "memory_format"})
    candidates = [*positional[:2], *([keywords["device"]] if "device" in keywords else [])]
    for argument in candidates:
        value = argument.value
        if _is_dtype(frame, argument):
            changes_dtype = True
        elif isinstance(value, Tensor) and value.evident and as_device(value) is None:
            target, changes_dtype = DeviceValue(value.device, value.anchor), True
        elif _is_of_another_kind(receiver, value):
            target, changes_dtype = DeviceValue(UNKNOWN), True
        elif (isinstance(value, DeviceValue | Literal | Tensor) and value != Literal(None)) or (
            target is None and path(argument.expression).endswith("device")
        ):
            target, target_site = places.wanted(frame, argument), argument.expression.id
            # A parameter that nothing shows to be a device may be a tensor, which gives its dtype too.
            changes_dtype = changes_dtype or (
                isinstance(value, Tensor) and not path(argument.expression).endswith("device")
            )
        elif target is None:
            # A device, a dtype or a tensor: it cannot be told.
            target, changes_dtype = DeviceValue(UNKNOWN), True
        else:
            changes_dtype = True
    return _Request(target, changes_dtype=changes_dtype, target_site=target_site, flags=flags)


def _is_of_another_kind(receiver: Value, argument: Value) -> bool:
    """Whether `.to("radians")` converts something that is no tensor: nothing shows it to be one, or the text
    is no word as devices have them."""
    shown = isinstance(receiver, Module | Alternatives) or (isinstance(receiver, Tensor) and receiver.evident)
    text = argument.value if isinstance(argument, Literal) else None
    if not isinstance(text, str) or _LIKE_A_DEVICE.match(text):
        return False
    return not shown or not text.islower()


_LIKE_A_DEVICE = re.compile(r"cpu|gpu|cuda|mps|xpu|hip|npu|hpu|mtia|vulkan|meta|auto", re.IGNORECASE)


def _non_blocking(positional: Sequence[Passed], keywords: dict[str, Passed]) -> bool | None:
    """What a move says of waiting, by name or, as in `.cuda(0, True)`, by position."""
    flags = [*positional[1:], *([keywords["non_blocking"]] if "non_blocking" in keywords else [])]
    if any(_is_true(flag) for flag in flags):
        return True
    return False if all(isinstance(flag.value, Literal | External) for flag in flags) else None


def _is_true(passed: Passed | None) -> bool:
    return passed is not None and passed.value == Literal(value=True)


def _start_accelerator(frame: Frame, call: ir.Call, target: Device) -> None:
    if isinstance(target, Concrete) and is_accelerator(target):
        frame.starts_accelerator(call.id)
    note_use(frame, call.id, target)


def _moved(call: ir.Call, tensor: Tensor, name: str, request: _Request) -> Tensor:
    if request.target is None:
        return replace(tensor, untouched=False)
    device = request.target.device
    step = OriginStep(Step.MOVED, call.id, device, f"torch.Tensor.{name}")
    return replace(
        tensor,
        device=device,
        origin=tensor.origin.then(step),
        anchor=request.target.text,
        attribute="",
        untouched=False,
        conventional=False,
        download=None,
        pinned=None,
    )


def _move_tensor(
    frame: Frame, call: ir.Call, owner: ir.Expression, tensor: Tensor, name: str, request: _Request
) -> Tensor:
    moved = _moved(call, tensor, name, request)
    if not tensor.evident and frame.dropped == call.id:
        tensor = replace(tensor, evident=is_used_as_tensor(frame.evidence.body, owner, frame.canonical))
    if not tensor.evident:
        if tensor.untouched and path(owner) in frame.parameters:
            # If it is a module, it has moved for its caller, too.
            frame.moved[path(owner)] = moved.device
        if frame.dropped == call.id and request.target is not None:
            note_unkept_move(frame, call.id, f"torch.Tensor.{name}", owner)
        return moved
    target = request.target.device if request.target is not None else tensor.device
    shown = operand(tensor, owner, "self")
    dropped = frame.dropped == call.id
    # To drop what changes the dtype alone, or goes where the tensor or its module is, moves nothing.
    stays = tensor.device != UNKNOWN and tensor.device in (target, OF_SELF)
    if request.target is not None and dropped and stays:
        note_unkept_move(frame, call.id, f"torch.Tensor.{name}", owner)
    elif request.target is not None:
        _note_move(frame, call, f"torch.Tensor.{name}", shown, target, request)
        if dropped and path(owner):
            # The program takes it for moved; to say so once is enough.
            frame.bind(path(owner), replace(tensor, device=UNKNOWN))
    if request.target is not None and tensor.device != target:
        _note_transfer(frame, call, tensor, owner, target, name, request)
    if is_host(target) and may_be_accelerator(tensor.device) and tensor.device != target:
        if request.flags.non_blocking:
            return replace(moved, download=(call.id, frame.waits))
        frame.brought_down.add(tensor.device)
        waits.note_wait(
            frame, call.id, f"torch.Tensor.{name}", Cause.HOST_COPY, tensor, Passed(tensor, owner), "self"
        )
    return moved


def _move_module(
    frame: Frame, call: ir.Call, owner: ir.Expression, module: Module, name: str, request: _Request
) -> Value:
    """A module moves in place, so that every name for it sees the move."""
    if request.target is None:
        return module
    device = request.target.device
    step = OriginStep(Step.MOVED, call.id, device, f"torch.nn.Module.{name}")
    moved = replace(module, device=device, origin=module.origin.then(step), anchor="")
    if module.evident:
        shown = operand(module, owner, "self")
        _note_move(frame, call, f"torch.nn.Module.{name}", shown, device, request)
    replace_module(frame, owner, module, moved)
    return moved


def _note_move(
    frame: Frame, call: ir.Call, operator: str, shown: Operand, target: Device, request: _Request
) -> None:
    dropped = frame.dropped == call.id
    frame.emit(
        Move(
            call.id,
            frame.hot,
            Certainty.PROVEN,
            operator,
            shown,
            shown.device,
            target,
            kept=not dropped,
            copy=request.flags.copy,
            changes_dtype=request.changes_dtype,
            target_site=request.target_site,
            assignable=_is_assignable(frame, shown),
            statement=frame.statement if dropped else None,
            seldom=frame.cold,
        )
    )


def _is_assignable(frame: Frame, shown: Operand) -> bool:
    """Whether `x = x.to(d)` would do what was meant: not for globals, loop targets and registered state."""
    root = shown.path.split(".")[0]
    is_local = frame.is_body or root in frame.parameters or root in frame.evidence.rebound
    changed_by_loop = any(shown.path in changed for changed in frame.loops)
    is_state = shown.device == OF_SELF or any(
        step.operator in PARAMETER_MAKERS for step in shown.origin.steps
    )
    return is_local and not changed_by_loop and not is_state


def _note_transfer(
    frame: Frame,
    call: ir.Call,
    tensor: Tensor,
    owner: ir.Expression,
    target: Device,
    name: str,
    request: _Request,
) -> None:
    source = tensor.device
    crosses = (is_host(source) and may_be_accelerator(target)) or (
        is_host(target) and may_be_accelerator(source)
    )
    if not crosses and not (is_accelerator(source) and is_accelerator(target)):
        return
    frame.emit(
        Transfer(
            call.id,
            frame.hot,
            Certainty.CONVENTION if tensor.conventional else Certainty.PROVEN,
            f"torch.Tensor.{name}",
            operand(tensor, owner, "self"),
            source,
            target,
            non_blocking=request.flags.non_blocking is True,
            # Of a copy that may be asynchronous it is not said what it waits for.
            pinned=tensor.pinned if request.flags.non_blocking is not None else None,
            loop_invariant=frame.invariant(owner),
            repeated=_is_kept(frame, tensor, owner),
        )
    )


def _is_kept(frame: Frame, tensor: Tensor, owner: ir.Expression) -> bool:
    """Whether a call of a module copies what the module keeps, or a part of it: `self.table[:n].to(d)`.

    Only what the constructor alone sets has a known device there.
    """
    while isinstance(owner, ir.Subscript):
        owner = owner.value
    kept = f"self.{tensor.attribute}"
    return bool(tensor.attribute) and frame.is_public_forward and path(owner) == kept and frame.stable(kept)
