"""What constructors are given: a module keeps it as it came, wherever the module is moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from devlint.model import CPU, UNKNOWN, Device, Event, Operand, Operation, Origin, SiteId, Step, Symbol
from devlint.source import ir
from devlint.source.flow.functions.summaries import bind_arguments, device_for
from devlint.source.flow.state.class_info import CONSTRUCTOR, ClassInfo
from devlint.source.flow.state.frame import Passed
from devlint.source.flow.state.values import Container, DeviceValue, Generator, Instance, Tensor, Value


def construct(info: ClassInfo, passed: Sequence[Passed]) -> Instance:
    """An object just made, with what the file shows of its attributes for these arguments."""
    if any(argument.stars for argument in passed):
        return Instance(info, owner="")
    fields = _stated(info, passed) if info.is_record else _placed_by_arguments(info, passed)
    return Instance(info, owner="", fields=tuple(fields.items()))


def _stated(info: ClassInfo, passed: Sequence[Passed]) -> dict[str, Value]:
    """A dataclass keeps what it is given under the names of its fields."""
    names = [name for base in reversed(info.lineage()) for name in base.stated]
    given: dict[str, Value] = {}
    for position, argument in enumerate(passed):
        name = argument.keyword or (names[position] if position < len(names) else "")
        given[name] = argument.value
    return given


def _placed_by_arguments(info: ClassInfo, passed: Sequence[Passed]) -> dict[str, Value]:
    """The attributes that lie where an argument says."""
    found = info.method(CONSTRUCTOR)
    if found is None or info.unknown_base or not found[1].given:
        return {}
    arguments = bind_arguments(found[0].parameters, passed, skip_first=True)
    values = {name: argument.value for name, argument in arguments.items()}
    given = found[1].given

    kept = ((name, value) for name, value in found[1].attributes.items() if isinstance(value, _PLACED))
    return {name: _given(value, given[value.device], values) for name, value in kept if value.device in given}


def _given(kept: Tensor | DeviceValue | Generator, device: Device, values: Mapping[str, Value]) -> Value:
    """What an attribute holds that lies where an argument says, or is the argument."""
    argument = values.get(device.name) if isinstance(device, Symbol) else None
    if isinstance(kept, Tensor) and kept.untouched and isinstance(argument, Tensor) and argument.evident:
        return replace(argument, anchor="")
    return replace(kept, device=device_for(device, values))


_PLACED = Tensor | DeviceValue | Generator


def given_from_host(constructor: ir.Function, passed: Sequence[Passed]) -> Iterator[tuple[SiteId, Value]]:
    """What a constructor is given that lies on the host: tensors made without a device, and lists of
    numbers, each with the parameter."""
    arguments = bind_arguments(constructor.parameters, passed, skip_first=True)
    for parameter in constructor.parameters:
        value = arguments[parameter.name].value
        if _is_made_on_host(value) or (isinstance(value, Container) and value.data):
            yield parameter.id, value


def _is_made_on_host(value: Value) -> bool:
    made = value.origin.made() if isinstance(value, Tensor) else None
    return isinstance(value, Tensor) and value.device == CPU and made is not None and made.implicit


def is_kept_from_outside(operand: Operand) -> bool:
    """Whether it is what a constructor was given, or made a tensor of, and kept in a plain attribute."""
    first = operand.origin.first
    if not operand.attribute or first is None or first.step is not Step.PARAMETER:
        return False
    if operand.device == UNKNOWN:
        return any(step.step is Step.MADE for step in operand.origin.steps)
    return _is_attribute_itself(operand)


def _is_attribute_itself(operand: Operand) -> bool:
    return isinstance(operand.device, Symbol) and operand.device.name == f"self.{operand.attribute}"


def as_given(event: Event, given: Mapping[SiteId, Value]) -> Iterator[Operation]:
    """An operation on what constructors keep, with what they are given in the file."""
    if not given or not isinstance(event, Operation):
        return
    operands = tuple(_placed(operand, given) for operand in event.operands)
    if operands != event.operands:
        yield replace(event, operands=operands)


def _placed(operand: Operand, given: Mapping[SiteId, Value]) -> Operand:
    first = operand.origin.first
    value = given.get(first.site) if first is not None and is_kept_from_outside(operand) else None
    steps = operand.origin.steps[1:]
    if isinstance(value, Tensor):
        return replace(
            operand, device=CPU, rank0=value.rank0, origin=Origin((*value.origin.steps, *steps)), anchor=""
        )
    if isinstance(value, Container) and operand.device == UNKNOWN:
        made = tuple(replace(step, device=CPU) if step.step is Step.MADE else step for step in steps)
        return replace(operand, device=CPU, rank0=False, origin=Origin(made), anchor="")
    return operand
