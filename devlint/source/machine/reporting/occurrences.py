"""Events with the state of execution in which they happen, and their confidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from devlint.model import (
    CPU,
    Confidence,
    Device,
    Event,
    HotPath,
    Move,
    Operand,
    Operation,
    Silence,
    SiteId,
    Symbol,
    SymbolKind,
    Synchronization,
    Transfer,
)
from devlint.source.machine.domain.inputs import Input, bases, need_not_be_there
from devlint.source.machine.domain.lattice import least_sure, surer
from devlint.source.machine.domain.loops import Loop, enclosing, hot_path, is_periodic, recurring


@dataclass(slots=True, eq=False)
class Occurrence:
    """An event with the state of execution."""

    event: Event
    loop: Loop | None
    periodic: bool
    rare: bool
    added: bool
    inputs: tuple[Input, ...]
    placed: tuple[Input, ...]
    calls: tuple[SiteId, ...]
    hypothesis: str


def confidence_of(entry: Occurrence, *, asks_for_device: bool) -> Confidence | None:
    """The confidence of an event; None if it depends on an input that is no tensor."""
    if any(each.refuted for each in entry.inputs):
        return None
    confidence = entry.event.confidence
    if not is_shown(entry):
        return least_sure(confidence, Confidence.POSSIBLE)
    if entry.hypothesis and _waits_for_input(entry):
        return surer(confidence, Confidence.LIKELY)
    if entry.hypothesis and asks_for_device and (_waits_beside_caller(entry) or _copies_to_caller(entry)):
        return surer(confidence, Confidence.LIKELY)
    return confidence


def _waits_for_input(entry: Occurrence) -> bool:
    """Whether the host waits for an input of a function that nothing calls. Where a use shows that it is a
    tensor, 17 of 18 such waits in libraries are real. In a training step, the result of an
    unknown model counts as well."""
    if not isinstance(entry.event, Synchronization) or not entry.inputs:
        return False
    in_step = any(each.whole is HotPath.STEP for each in enclosing(entry.loop))
    return in_step or not any(each.presumed for each in entry.inputs)


def _waits_beside_caller(entry: Occurrence) -> bool:
    """Whether the host waits for what a function has created on the device of a tensor or module that is an
    argument."""
    event = entry.event
    if not isinstance(event, Synchronization) or event.operand is None or entry.inputs:
        return False
    return _is_of_argument(event.operand.device)


def _copies_to_caller(entry: Occurrence) -> bool:
    """Whether a tensor is copied from the host to the device of a tensor or module that is an argument."""
    event = entry.event
    if not isinstance(event, (Move, Transfer)) or event.source != CPU:
        return False
    return _is_of_argument(event.target)


def concerns_argument(entry: Occurrence) -> bool:
    """Whether a wait or a copy depends on an argument, or is for the device of one."""
    return bool(entry.inputs) or any(map(_is_of_argument, devices_of(entry.event)))


def is_where_arguments_are(event: Event) -> bool:
    """Whether an event is on the device of tensors that a function gets as arguments."""
    return any(isinstance(each, Symbol) and each.kind is SymbolKind.TENSOR for each in devices_of(event))


def devices_of(event: Event) -> Iterator[Device]:
    """The devices between which an event happens."""
    match event:
        case Operation(operands=operands):
            yield from (each.device for each in operands)
        case Transfer(source=source, target=target) | Move(source=source, target=target):
            yield from (source, target)
        case Synchronization(operand=Operand(device=device)):
            yield device


def _is_of_argument(device: Device) -> bool:
    """Whether a device is that of an argument, not one that is itself an argument."""
    return isinstance(device, Symbol) and device.kind is not SymbolKind.DEVICE


def is_shown(entry: Occurrence) -> bool:
    """Whether the inputs on which an event depends are shown to be tensors, and none is moved."""
    return all(map(_is_evident, entry.inputs)) and not any(map(need_not_be_there, entry.placed))


def _is_evident(held: Input) -> bool:
    """Whether some use shows that an input is a tensor: it, or what it was computed from."""
    return held.evident or (not held.asked and any(base.evident for base in bases(held)))


def hot_path_of(entry: Occurrence) -> HotPath | None:
    """The reason why an event happens many times; None if it does not."""
    return None if entry.periodic or entry.rare else hot_path(_repeating(entry))


def _repeating(entry: Occurrence) -> Loop | None:
    """The loop that repeats an event, if the event is not limited to its first turn."""
    return recurring(entry.loop, (type(entry.event), entry.event.site))


def silence_of(entry: Occurrence) -> Silence | None:
    """The reason to withhold an event that is not on a hot path."""
    if entry.periodic or is_periodic(entry.loop):
        return Silence.PERIODIC
    if hot_path(_repeating(entry)) is None:
        return Silence.ONCE if entry.loop is not None else None
    return Silence.RARE_BRANCH
