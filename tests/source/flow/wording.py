"""How abstract values and events are written in the Markdown files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from devlint.model import (
    UNKNOWN,
    Certainty,
    Event,
    Kind,
    Move,
    Operand,
    Operation,
    Registration,
    Setting,
    Synchronization,
    Transfer,
)
from devlint.source.flow.state.values import (
    Alternatives,
    Array,
    Availability,
    Batch,
    Container,
    DeviceValue,
    Generator,
    Literal,
    Loader,
    Module,
    Optimizer,
    Scalar,
    Tensor,
    Value,
    as_device,
)


def device_of(value: Value) -> str:
    """Where a value lies, or which device it names, as far as that is known well enough to speak of it."""
    match value:
        case Tensor(evident=False) | Module(evident=False):
            return str(UNKNOWN)
        case Tensor(device=device, presumed=True):
            return f"presumably {device}"
        case Tensor(device=device) | Module(device=device) | Generator(device=device):
            return str(device)
        case Batch(tensor=tensor):
            return str(tensor.device)
        case Alternatives(tensors=tensors):
            return " or ".join(sorted(device_of(tensor) for tensor in tensors))
        case DeviceValue() | Literal(value=str()):
            named = as_device(value)
            return str(UNKNOWN if named is None else named.device)
        case _:
            return str(UNKNOWN)


def kind_of(value: Value) -> str:
    """What a value is: `tensor`, `0-dim bool tensor`, `module`, `None`, `unknown`."""
    match value:
        case Tensor() | Alternatives():
            return _kind_of_tensor(value)
        case Module(evident=evident):
            return "module" if evident else "perhaps a module"
        case Literal(value=None):
            return "None"
        case Literal() | Scalar() | Availability():
            return "number or text"
        case Container(element=element, items=items):
            held = {kind_of(item) for _, item in items} if items else {kind_of(element)}
            return f"container of {' and '.join(sorted(held))}"
        case DeviceValue():
            return "device"
        case _:
            return _NAMES.get(type(value), "unknown")


_NAMES: dict[type, str] = {
    Array: "array",
    Batch: "batch",
    Generator: "generator",
    Loader: "data loader",
    Optimizer: "optimizer",
}


def _kind_of_tensor(value: Tensor | Alternatives) -> str:
    if isinstance(value, Alternatives):
        kinds = {_kind_of_tensor(tensor) for tensor in value.tensors}
        return kinds.pop() if len(kinds) == 1 else "tensor"
    if not value.evident:
        return "perhaps a tensor"
    return f"{'0-dim ' if value.rank0 else ''}{'bool ' if value.boolean else ''}tensor"


def origin_of(value: Value) -> str:
    """How a value came to lie where it does: `made by torch.zeros, moved by torch.Tensor.to`."""
    match value:
        case Tensor(origin=origin) | Module(origin=origin) | Array(origin=origin):
            return ", ".join(f"{step.step.value} by {step.operator}" for step in origin.steps) or "unknown"
        case _:
            return "unknown"


REVEALERS: dict[str, Callable[[Value], str]] = {
    "reveal_device": device_of,
    "reveal_kind": kind_of,
    "reveal_origin": origin_of,
}


@dataclass(frozen=True)
class EventText:
    """An event in words, and what may stand behind them: which hot path it lies on, and whether it rests on
    an assumption."""

    kind: str
    plain: str
    path: str
    basis: str

    def like(self, wanted: Sequence[str]) -> str:
        """The event with as much behind it as any of those that are wanted has."""
        return ", ".join([self.plain, *(said for said in (self.path, self.basis) if _is_said(said, wanted))])


def _is_said(aspect: str, wanted: Sequence[str]) -> bool:
    word = "hot" if "hot" in aspect else "assumed"
    return any(f", {word}" in one or f", not {word}" in one for one in wanted)


def describe(event: Event) -> EventText:
    """`Transfer cpu -> cuda:0 x [non-blocking]`, and what may stand behind it."""
    kind = type(event).__name__
    flags = [name for name, holds in _flags(event) if holds]
    shown = " ".join((kind, _body(event), *([f"[{', '.join(flags)}]"] if flags else [])))
    path = f"hot: {event.hot.value}" if event.hot else "not hot"
    return EventText(kind, shown, path, "assumed" if event.certainty is Certainty.ASSUMED else "not assumed")


def _body(event: Event) -> str:
    match event:
        case Synchronization(cause=cause, operand=operand):
            return _word(cause) if operand is None else f"{_word(cause)} {operand.path}"
        case Transfer(source=source, target=target, operand=operand):
            return f"{source} -> {target} {operand.path}"
        case Move(source=source, target=target, operand=operand):
            return f"{source} -> {target} {operand.path}"
        case Operation(operator=operator, operands=operands):
            return f"{operator}({', '.join(_operands(operands))})"
        case Registration(module=module, attribute=attribute, kind=kind):
            return f"{_word(kind)} {module}{'.' if attribute else ''}{attribute}"
        case Setting(kind=kind, value=value):
            return f"{_word(kind)} {value}".rstrip()
        case _:
            raise TypeError(f"no wording for {type(event).__name__}")


def _operands(operands: Iterable[Operand]) -> Iterable[str]:
    return (f"{operand.path}: {operand.device}" for operand in operands if operand.kind is not Kind.SCALAR)


def _flags(event: Event) -> Iterable[tuple[str, bool]]:
    match event:
        case Transfer():
            yield "non-blocking", event.non_blocking
            yield "loop-invariant", event.loop_invariant
            yield "implicit", not event.explicit
            yield "read too early", event.used_before_wait is not None
            yield "pinned", event.pinned is True
            yield "repeated", event.repeated
        case Move():
            yield "dropped", not event.kept
            yield "copy", event.copy
            yield "dtype", event.changes_dtype
        case Synchronization():
            yield "waited already", event.waited_already
        case _:
            pass
    yield "by convention", event.certainty is Certainty.CONVENTION


def _word(member: Enum) -> str:
    return member.name.lower().replace("_", "-")
