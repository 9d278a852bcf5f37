"""What is learnt of a function or class of another file, as the file that uses it has it.

A place in another file means nothing here: in its stead stands the place where the value is used, and the
name of what it came from. So a call of a function of another file looks like that of an operator.
"""

from __future__ import annotations

from dataclasses import replace

from devlint.model import Operand, Operation, Origin, OriginStep, SiteId, Step
from devlint.source.flow.state.values import (
    TOP,
    Alternatives,
    Array,
    Availability,
    Batch,
    ClassValue,
    Clock,
    Container,
    DeviceValue,
    External,
    FunctionValue,
    Generator,
    Instance,
    Loader,
    Managed,
    Method,
    Module,
    Partial,
    Tensor,
    Value,
)


def value_here(value: Value, site: SiteId, name: str) -> Value:
    """A value as it is seen at this site. `name` is that of what it came from."""
    match value:
        case Tensor():
            origin = _origin_here(value.origin, site, name)
            return replace(value, origin=origin, anchor="", download=None)
        case Alternatives():
            tensors = tuple(value_here(tensor, site, name) for tensor in value.tensors)
            return Alternatives(tuple(tensor for tensor in tensors if isinstance(tensor, Tensor)))
        case Module():
            return replace(value, origin=_origin_here(value.origin, site, name), anchor="")
        case Array() | Generator():
            return replace(value, origin=_origin_here(value.origin, site, name))
        case Container():
            items = value.items and tuple((key, value_here(item, site, name)) for key, item in value.items)
            return replace(value, element=value_here(value.element, site, name), items=items)
        case Batch():
            tensor = value_here(value.tensor, site, name)
            return Batch(tensor, value.in_place) if isinstance(tensor, Tensor) else TOP
        case Managed(target=target, default=default):
            return Managed(value_here(target, site, name), default and replace(default, text=""))
        case Loader():
            return replace(value, element=value_here(value.element, site, name))
        case DeviceValue():
            return replace(value, text="")
        case Instance(fields=fields):
            return replace(value, fields=tuple((key, value_here(held, site, name)) for key, held in fields))
        case Clock() | Method() | Partial():
            return TOP
        case _:
            return value


def demand_here(demand: Operation, site: SiteId, name: str) -> Operation:
    """An operation that a function demands of its callers, as a call at this site has it."""
    operands = tuple(_operand_here(operand, site, name) for operand in demand.operands)
    return replace(demand, site=site, operands=operands, within=demand.within or name)


def import_of(value: Value | None) -> Value | None:
    """What a name of another file stands for where it is imported; None where nothing is to be relied on.

    Devices are named by constants. Other objects may have been changed by whoever else has imported them.
    """
    match value:
        case FunctionValue() | ClassValue() | External() | Availability():
            return value
        case DeviceValue():
            return replace(value, text="")
        case _:
            return None


def _origin_here(origin: Origin, site: SiteId, name: str) -> Origin:
    steps = (_step_here(step, site, name) for step in origin.steps)
    return Origin(tuple(dict.fromkeys(steps)))


def _step_here(step: OriginStep, site: SiteId, name: str) -> OriginStep:
    known = step.operator if step.step is Step.PARAMETER else name
    return OriginStep(step.step, site, step.device, known)


def _operand_here(operand: Operand, site: SiteId, name: str) -> Operand:
    return replace(operand, site=site, origin=_origin_here(operand.origin, site, name), anchor="")
