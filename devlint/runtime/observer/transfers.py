"""Transfers between host and devices: requested moves, and implicit copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from devlint.model import (
    CPU,
    Concrete,
    Confidence,
    Device,
    Move,
    Operand,
    OriginStep,
    Step,
    Transfer,
    is_accelerator,
    is_host,
    parse_device,
)
from devlint.model.device import ACCELERATORS
from devlint.operators import WRITTEN
from devlint.rules.wording import code
from devlint.runtime.observer.call import ObservedCall
from devlint.runtime.observer.creation import note_legacy
from devlint.runtime.observer.operands import current_accelerator, device_of, tensor_type_device
from devlint.runtime.observer.wait_conditions import on_device
from devlint.runtime.places.expressions import names_beside, plain
from devlint.runtime.places.frames import user_frame
from devlint.runtime.policy.active_guards import NOT_WATCHED, Permit, ask, watched
from devlint.tensors.parts import bytes_of
from devlint.tensors.provenance import (
    FIRST_COPY,
    Download,
    EarlierCopies,
    note_copy,
    note_download,
    note_dropped_move,
    origin_of,
    remember,
)


@dataclass(slots=True)
class Crossing:
    """A copy that is about to be made."""

    tensor: torch.Tensor | None
    """The tensor of which the program gets a copy; None if an operator uploads numbers or an index."""
    bytes: int | None
    operand: Operand
    source: Device
    target: Device
    explicit: bool
    non_blocking: bool
    pinned: bool | None
    before: EarlierCopies = FIRST_COPY
    permit: Permit = NOT_WATCHED


def foresee(call: ObservedCall) -> Crossing | None:
    """The copy between devices that a call is about to make; None if there is none.

    Raises:
        DisallowedError: if a guard does not allow it.
    """
    if call.row.moves:
        return _foresee_move(call)
    return _foresee_copy(call) if call.row.copies else _foresee_upload(call)


def _foresee_move(call: ObservedCall) -> Crossing | None:
    """The copy that a move is about to make; None if the tensor stays where it is."""
    tensor = call.bound.first
    if not isinstance(tensor, torch.Tensor):
        return None
    source = device_of(tensor)
    target = _target(call)
    if target is None or _same(source, target):
        return None
    return _asked(call, tensor, "self", target, explicit=True)


def _foresee_copy(call: ObservedCall) -> Crossing | None:
    """The copy that an operator is about to make into its first operand; None if both are on one device."""
    target = call.bound.first
    written = call.bound.value(*WRITTEN)
    if not isinstance(target, torch.Tensor) or not isinstance(written, torch.Tensor):
        return None
    source, place = device_of(written), device_of(target)
    if source == place or (written.dim() == 0 and is_host(source)):
        return None
    name = next(name for name, value in call.bound.values.items() if value is written)
    return _asked(call, written, name, place, explicit=call.name.endswith("copy_"))


def _foresee_upload(call: ObservedCall) -> Crossing | None:
    """The upload of a host tensor that a factory is about to make, as `torch.as_tensor(x, device=d)` does."""
    data = call.bound.value("data", "obj")
    if not isinstance(data, torch.Tensor):
        return None
    target = _named_device(call.bound.value("device"))
    if target is None or _same(device_of(data), target):
        return None
    return _asked(call, data, next(iter(call.bound.values)), target, explicit=True)


def foresee_hidden_upload(call: ObservedCall, uploaded: Operand) -> Crossing | None:
    """The upload of a number, a list or an index on the host by an operator; None if there is none.

    Raises:
        DisallowedError: if a guard does not allow it.
    """
    on = next((tensor for _, _, tensor in call.bound.tensors() if on_device(tensor)), None)
    target = device_of(on) if on is not None else _named_device(call.bound.value("device"))
    if target is None:
        return None
    indices = (each for argument, _, each in call.bound.tensors() if argument.index and not on_device(each))
    index = next(indices, None)
    numbers = call.bound.values.get(uploaded.parameter)
    crossing = Crossing(
        tensor=None,
        bytes=_size_of_data(numbers) if index is None else bytes_of(index),
        operand=uploaded,
        source=CPU,
        target=target,
        explicit=on is None,
        non_blocking=False,
        pinned=False,
        before=FIRST_COPY if index is None else note_copy(index, str(target), call.site),
    )
    crossing.permit = ask(
        "host_to_device",
        call.site,
        _key(call, crossing),
        lambda: _transfer(call, crossing),
        lambda: f"{code(uploaded.path)} is copied to {target}",
        explicit=crossing.explicit,
    )
    return crossing


def note_crossing(call: ObservedCall, crossing: Crossing, result: object, seconds: float | None) -> None:
    """Counts a copy, and records it with the memory that it filled."""
    if crossing.tensor is not None and isinstance(result, torch.Tensor) and not call.row.copies:
        _note_arrival(call, crossing, crossing.tensor, result)
    if is_accelerator(crossing.target) or is_accelerator(crossing.source):
        crossing.permit.count(
            _key(call, crossing),
            lambda: _transfer(call, crossing),
            seconds=seconds,
            size=crossing.bytes,
            forward=call.in_forward,
        )


def _note_arrival(call: ObservedCall, crossing: Crossing, sent: torch.Tensor, arrived: torch.Tensor) -> None:
    target = device_of(arrived)
    before = origin_of(sent)
    if not before.steps:
        before = before.then(OriginStep(Step.DERIVED, call.site, crossing.source, ""))
    remember(arrived, OriginStep(Step.MOVED, call.site, target, call.name), before)
    if is_host(target) and crossing.non_blocking:
        call.progress.downloads += 1
        note_download(arrived, Download(call.site, crossing.source, call.progress.waits))


_NUMBER = 8
"""The size in bytes of a Python number in a tensor, at most."""


def _size_of_data(value: object) -> int:
    """The size in bytes of the copy of numbers, of lists of numbers, and of arrays."""
    if isinstance(value, list | tuple):
        return sum(map(_size_of_data, value))
    if isinstance(value, range):
        return _NUMBER * len(value)
    try:
        return memoryview(value).nbytes  # type: ignore[arg-type] # what has no buffer raises
    except (TypeError, ValueError, BufferError):
        return _NUMBER


def note_move(call: ObservedCall, result: object) -> None:
    """Counts a move of a tensor that the program's own line requests."""
    tensor = call.bound.first
    if not (isinstance(tensor, torch.Tensor) and isinstance(result, torch.Tensor)) or not call.direct:
        return
    wanted = _target(call)
    source, target = device_of(tensor), device_of(result)
    if wanted is None or not (is_accelerator(source) or is_accelerator(target)):
        return
    kept = not call.sites.result_is_dropped(call.site)
    if not kept and source != target:
        note_dropped_move(tensor)
    converts = call.name.endswith("type_as") or call.bound.value("dtype") is not None
    changes_dtype = converts or tensor.dtype is not result.dtype

    def event() -> Move:
        written = _as_written(call, tensor)
        return Move(
            call.site,
            None,
            Confidence.SEEN,
            call.name,
            written,
            source,
            target,
            kept=kept,
            copy=bool(call.bound.value("copy")),
            changes_dtype=changes_dtype,
            made_inline=_is_made_inline(call, written),
        )

    key = (call.site, "move", call.name, source, target, kept, changes_dtype)
    watched().count(key, event, forward=call.in_forward)


def _as_written(call: ObservedCall, tensor: torch.Tensor) -> Operand:
    """The moved operand. For a factory call, `torch.zeros(3).to(d)`, its site is that call."""
    moved = call.operand("self", tensor)
    made = moved.origin.last
    if made is None or made.step is not Step.MADE or plain(call.sites.text(made.site)) != moved.path:
        return moved
    return Operand(
        moved.path,
        made.site,
        moved.device,
        moved.kind,
        moved.origin,
        moved.parameter,
        moved.rank0,
        moved.boolean,
    )


def _is_made_inline(call: ObservedCall, moved: Operand) -> bool:
    """Whether the moved expression creates the values, and reads no other host tensor:
    `(torch.ones(n) * i).to(device)`."""
    made = moved.origin.made()
    frame = user_frame(call.frame)
    if made is None or frame is None:
        return False
    names = names_beside(moved.path, call.sites.text(made.site))
    if names is None:
        return False
    values = (frame.f_locals.get(name, frame.f_globals.get(name)) for name in names)
    return not any(isinstance(value, torch.Tensor) and not on_device(value) for value in values)


def _asked(
    call: ObservedCall, tensor: torch.Tensor, place: str, target: Device, *, explicit: bool
) -> Crossing | None:
    source = device_of(tensor)
    down = is_accelerator(source) and is_host(target)
    up = is_host(source) and is_accelerator(target)
    if up and explicit:
        note_legacy(call, tensor)
    crossing = Crossing(
        tensor=tensor,
        bytes=bytes_of(tensor),
        operand=call.operand(place, tensor),
        source=source,
        target=target,
        explicit=explicit,
        non_blocking=bool(call.bound.value("non_blocking")),
        pinned=tensor.is_pinned() if up else None,
        before=note_copy(tensor, str(target), call.site) if up or down else FIRST_COPY,
    )
    if up or down:
        crossing.permit = ask(
            "host_to_device" if up else "device_to_host",
            call.site,
            _key(call, crossing),
            lambda: _transfer(call, crossing),
            lambda: f"{code(crossing.operand.path)} is copied from {source} to {target}",
            explicit=explicit,
        )
    elif is_accelerator(source) and is_accelerator(target):
        crossing.permit = watched()
    return crossing


def _key(call: ObservedCall, crossing: Crossing) -> tuple[object, ...]:
    return (
        call.site,
        "transfer",
        call.name,
        crossing.operand.parameter,
        crossing.source,
        crossing.target,
        crossing.non_blocking,
        crossing.before.repeated,
        crossing.before.here,
    )


def _transfer(call: ObservedCall, crossing: Crossing) -> Transfer:
    return Transfer(
        call.site,
        None,
        Confidence.SEEN,
        call.name,
        crossing.operand,
        crossing.source,
        crossing.target,
        explicit=crossing.explicit,
        non_blocking=crossing.non_blocking,
        pinned=crossing.pinned,
        bytes=crossing.bytes,
        loop_invariant=crossing.before.here,
        repeated=crossing.before.repeated,
    )


def _same(source: Device, target: Device) -> bool:
    """Whether a move has no effect. `cuda` without an ordinal counts as the device of the tensor."""
    left, right = str(source), str(target)
    return left == right or (":" not in right and left.partition(":")[0] == right)


def _target(call: ObservedCall) -> Device | None:
    """The target of a move; None if it names no device."""
    last = call.name.rpartition(".")[2]
    if last == "cpu":
        return CPU
    named = _named_device(call.bound.value("device", "other"))
    if last in ACCELERATORS:
        return named or _named_device(last)
    if last == "type":
        wanted = call.bound.value("dtype")
        return _named_device(tensor_type_device(wanted)) if isinstance(wanted, str | type) else None
    return named


def _named_device(named: Any) -> Device | None:
    if isinstance(named, torch.Tensor | torch.device):
        return device_of(named)
    if isinstance(named, str):
        return parse_device(named)
    if isinstance(named, int) and not isinstance(named, bool):
        current = current_accelerator()
        return Concrete(current.type, named) if current is not None else None
    return None
