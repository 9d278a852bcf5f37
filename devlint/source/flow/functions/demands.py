"""What a function demands of its arguments: operations in it whose operands its callers place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from devlint.model import UNKNOWN, Device, Operand, Operation, SiteId, Step, Symbol, SymbolKind
from devlint.operators import MODULE_CALL
from devlint.source import ir
from devlint.source.flow.functions.summaries import device_for
from devlint.source.flow.modules.instances import OWN, attribute_of_argument
from devlint.source.flow.state.frame import OF_SELF, Frame, Passed
from devlint.source.flow.state.values import Alternatives, Instance, Module, Tensor, Value
from devlint.source.walk import text


def instantiate(
    frame: Frame, site: SiteId, demand: Operation, arguments: Mapping[str, Passed], receiver: Value | None
) -> Iterator[Operation]:
    """A function's operation with the operands that a call gives it, once for each alternative of an
    argument.

    Nothing is given where the arguments leave the operands' devices as unknown as they were, nor for a
    module's own plain tensors: what a method other than a forward is given need not be where the module is.
    """
    # What wants its operand on the host can be wrong about one alone; else it takes two to differ.
    fewest = min(2, len(_devices(demand.operands)))
    hot = demand.hot or frame.hot
    if hot is None and any(operand.attribute for operand in demand.operands):
        return
    if isinstance(receiver, Instance):
        if receiver.owner != OWN:
            arguments = {**arguments, OWN: Passed(receiver, ir.Name(site, receiver.owner))}
    else:
        demand = replace(demand, operands=tuple(_without_what_it_keeps(o) for o in demand.operands))
    if isinstance(receiver, Module):
        if demand.operator == MODULE_CALL:
            # The call of the whole module says it already.
            return
        demand = replace(demand, operands=tuple(_of_receiver(o, receiver) for o in demand.operands))
    demand = replace(demand, hot=hot, call=None if demand.within else site)
    split = [name for name, passed in arguments.items() if isinstance(passed.value, Alternatives)]
    involved = [name for name in split if any(_is_of(operand, name) for operand in demand.operands)]
    if len(involved) > 1:
        return
    if not involved:
        yield from _for(demand, arguments, fewest)
        return
    passed = arguments[involved[0]]
    assert isinstance(passed.value, Alternatives)
    for alternative in passed.value.tensors:
        yield from _for(demand, {**arguments, involved[0]: replace(passed, value=alternative)}, fewest)


def _without_what_it_keeps(operand: Operand) -> Operand:
    """An operand that another module was given when it was made: who calls its methods cannot tell where."""
    device = operand.device
    kept = isinstance(device, Symbol) and device.kind is SymbolKind.TENSOR and device.name.startswith("self.")
    return replace(operand, device=UNKNOWN) if kept else operand


def _of_receiver(operand: Operand, receiver: Module) -> Operand:
    return replace(operand, device=receiver.device) if operand.device == OF_SELF else operand


def _is_of(operand: Operand, name: str) -> bool:
    return isinstance(operand.device, Symbol) and operand.device.name == name


def _for(demand: Operation, arguments: Mapping[str, Passed], fewest: int) -> Iterator[Operation]:
    values = {name: passed.value for name, passed in arguments.items()}
    operands = tuple(_placed(operand, arguments, values) for operand in demand.operands)
    depends = any(_is_of(operand, name) for operand in demand.operands for name in arguments)
    if depends and len(_devices(operands)) >= fewest:
        yield replace(demand, operands=operands)


def _devices(operands: tuple[Operand, ...]) -> set[Device]:
    return {operand.device for operand in operands if operand.device != UNKNOWN}


def _placed(operand: Operand, arguments: Mapping[str, Passed], values: Mapping[str, Value]) -> Operand:
    """An operand where the caller's argument puts it."""
    if not isinstance(operand.device, Symbol):
        return operand
    if operand.device.name not in arguments:
        place = attribute_of_argument(operand.device, values)
        return operand if place is None else replace(operand, device=place, anchor="")
    argument = arguments[operand.device.name].value
    device = device_for(operand.device, values)
    if isinstance(argument, Tensor) and (not argument.evident or argument.presumed):
        device = UNKNOWN
    first, last = operand.origin.first, operand.origin.last
    is_parameter_itself = first is not None and first is last and first.step is Step.PARAMETER
    origin = (
        argument.origin if isinstance(argument, Tensor | Module) and is_parameter_itself else operand.origin
    )
    is_same = is_parameter_itself and operand.path == operand.device.name
    rank0 = argument.rank0 if isinstance(argument, Tensor) and is_same else operand.rank0
    shown = text(arguments[operand.device.name].expression) if is_same else operand.path
    attribute = argument.attribute if isinstance(argument, Tensor) else ""
    return replace(
        operand, device=device, origin=origin, rank0=rank0, path=shown, anchor="", attribute=attribute
    )
