"""What a function returns, in terms of its parameters, put in terms of a caller's arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from devlint.model import (
    CPU,
    UNKNOWN,
    Device,
    Operation,
    Origin,
    OriginStep,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
)
from devlint.source import ir
from devlint.source.flow.functions.elsewhere import demand_here, value_here
from devlint.source.flow.modules.instances import (
    OWN,
    attribute_of_argument,
    is_own,
    map_fields,
    owner_seen_from,
)
from devlint.source.flow.patterns.assumptions import are_apart
from devlint.source.flow.state.environment import Answer, Answers
from devlint.source.flow.state.frame import Passed, Returned
from devlint.source.flow.state.lattice import join_all
from devlint.source.flow.state.values import (
    NONE,
    TOP,
    Alternatives,
    Array,
    Batch,
    Container,
    DeviceValue,
    Generator,
    Instance,
    Literal,
    Loader,
    Managed,
    Module,
    Partial,
    Tensor,
    Value,
    as_device,
)


@dataclass(frozen=True, slots=True)
class Demand:
    """An operation whose operands' devices the caller decides, and what holds wherever it is done."""

    operation: Operation
    tested: Answers = frozenset()
    assumed: bool = False
    """Whether its own file leaves it to those who ask for what rests on an assumption."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What is remembered of a function: its result, with the devices of its parameters as symbols."""

    returns: tuple[Returned, ...]
    demands: tuple[Demand, ...] = ()
    moved: Mapping[str, Device] = field(default_factory=dict)
    """Where it moves the modules that it is given, in place."""
    assigned: frozenset[str] = frozenset()
    """The attributes of `self` that it sets."""
    changed: frozenset[str] = frozenset()
    """The names of whose values it sets items or attributes."""
    starts_accelerator: bool = False
    """Whether the CUDA runtime has started when it is left."""
    waits: bool = False
    """Whether the host may wait for the device in it, or when what it returns is walked or awaited."""
    works: bool = False
    """Whether an accelerator is known to be given work when it is called."""


UNKNOWN_SUMMARY = Summary((Returned(TOP),), waits=True)
"""That of a function of which nothing is known."""


def seen_here(summary: Summary, site: SiteId, name: str) -> Summary:
    """The summary of a function of another file, as a call at this site has it.

    Which of its branches a call takes is not looked into, so that what it does in one alone is left out. So
    is what is wrong in any call: that is said in its own file, once.
    """
    demands = tuple(
        replace(demand, operation=demand_here(demand.operation, site, name))
        for demand in summary.demands
        if not demand.operation.conditional and (demand.assumed or not are_apart(demand.operation))
    )
    returns = tuple(
        replace(returned, value=value_here(returned.value, site, name)) for returned in summary.returns
    )
    return replace(summary, returns=returns, demands=demands)


def can_hold(tested: Answers, arguments: Mapping[str, Passed]) -> bool:
    """Whether a way through a function can be taken with these arguments, by which of them are None, and
    which are flags that are set."""
    return not any(
        _contradicts(arguments[each.name].value, each) for each in tested if each.name in arguments
    )


def _contradicts(value: Value, answer: Answer) -> bool:
    """Whether an argument gives another answer."""
    if answer.is_none is not None and _is_none(value) is (not answer.is_none):
        return True
    return (
        answer.is_true is not None and isinstance(value, Literal) and bool(value.value) is not answer.is_true
    )


def _is_none(value: Value) -> bool | None:
    """Whether an argument is None, if that is known."""
    if value == NONE:
        return True
    unknown = value == TOP or (isinstance(value, Tensor | Module) and not value.evident)
    return None if unknown else False


@dataclass(frozen=True, slots=True)
class MadeBy:
    """The call by which a value came to be."""

    site: SiteId
    function: str


def bind_arguments(
    parameters: Sequence[ir.Parameter], passed: Sequence[Passed], *, skip_first: bool
) -> dict[str, Passed]:
    """The argument for each parameter in a call: passed, its constant default, or unknown."""
    positional = [p for p in parameters if not p.stars and not p.keyword_only][1 if skip_first else 0 :]
    bindings: dict[str, Passed] = {}
    exact = True
    index = 0
    for argument in passed:
        if argument.stars:
            exact = False
        elif argument.keyword:
            bindings[argument.keyword] = argument
        elif exact and index < len(positional):
            bindings[positional[index].name] = argument
            index += 1
    for parameter in parameters:
        if parameter.name not in bindings:
            default = parameter.default
            known = exact and isinstance(default, ir.Constant) and not parameter.stars
            value = Literal(default.value) if known and isinstance(default, ir.Constant) else TOP
            bindings[parameter.name] = Passed(value, default or ir.Name(parameter.id, parameter.name))
    return bindings


def substitute(value: Value, bindings: Mapping[str, Value], made_by: MadeBy) -> Value:
    """A result in terms of a function's parameters, for given arguments."""
    match value:
        case Tensor():
            return _substitute_tensor(value, bindings, made_by)
        case Alternatives():
            return join_all([substitute(tensor, bindings, made_by) for tensor in value.tensors])
        case Module():
            # Each call makes a module of its own.
            device = device_for(value.device, bindings)
            step = OriginStep(Step.MADE, made_by.site, device, made_by.function)
            made = value.origin.first is not None and value.origin.first.step is Step.MADE
            return replace(value, device=device, origin=value.origin.then(step) if made else value.origin)
        case Generator():
            return replace(value, device=device_for(value.device, bindings))
        case Array():
            first = value.origin.first
            given = first is not None and first.step is Step.PARAMETER
            argument = bindings.get(first.operator, TOP) if first is not None and given else TOP
            return argument if isinstance(argument, Array) else Array()
        case DeviceValue():
            return _substitute_device(value, bindings)
        case Container():
            items = value.items and tuple(
                (key, substitute(item, bindings, made_by)) for key, item in value.items
            )
            return replace(value, element=substitute(value.element, bindings, made_by), items=items)
        case Batch():
            tensor = substitute(value.tensor, bindings, made_by)
            return Batch(tensor, value.in_place) if isinstance(tensor, Tensor) else TOP
        case Loader():
            return replace(value, element=substitute(value.element, bindings, made_by))
        case Managed(default=default):
            lent = None if default is None else replace(default, device=device_for(default.device, bindings))
            return Managed(substitute(value.target, bindings, made_by), lent)
        case Partial():
            with_given = tuple((substitute(held, bindings, made_by), how) for held, how in value.arguments)
            return Partial(substitute(value.callee, bindings, made_by), with_given)
        case Instance(owner=owner):
            if owner in bindings:
                return bindings[owner]
            held = map_fields(value, lambda field: substitute(field, bindings, made_by))
            return replace(held, owner=owner_seen_from(owner, bindings.get(OWN)))
        case _:
            return value


def _substitute_tensor(tensor: Tensor, bindings: Mapping[str, Value], made_by: MadeBy) -> Value:
    if not isinstance(tensor.device, Symbol) or tensor.device.name not in bindings:
        return replace(tensor, device=device_for(tensor.device, bindings), anchor="", download=None)
    argument = bindings[tensor.device.name]
    if tensor.untouched:
        return argument
    whole = _argument_for(tensor, bindings)
    if not tensor.evident and not isinstance(whole, Tensor):
        # Nothing in the function shows that its parameter is a tensor; the argument does not, either.
        return TOP
    if isinstance(argument, Alternatives):
        each = [
            _substitute_tensor(tensor, {**bindings, tensor.device.name: a}, made_by) for a in argument.tensors
        ]
        return join_all(each)
    device = device_for(tensor.device, bindings)
    evident = tensor.evident or (isinstance(whole, Tensor) and whole.evident)
    origin = argument.origin if isinstance(argument, Tensor) and not _has_history(tensor) else tensor.origin
    last = tensor.origin.last
    is_moved = last is not None and last.step is Step.MOVED
    if argument == NONE and (tensor.device.kind is SymbolKind.TENSOR or is_moved):
        # `x.to(None)` leaves it where it is.
        return TOP
    if argument == NONE:
        # A device that was left out: the caller could have given it.
        origin = Origin((OriginStep(Step.MADE, made_by.site, device, made_by.function, implicit=True),))
    presumed = tensor.presumed or (isinstance(argument, Tensor) and argument.presumed)
    return replace(
        tensor,
        device=device,
        evident=evident,
        anchor=_anchor(argument),
        origin=origin,
        download=None,
        presumed=presumed,
    )


def _argument_for(tensor: Tensor, bindings: Mapping[str, Value]) -> Value:
    """The argument that a result was computed from, wherever it was moved since."""
    first = tensor.origin.first
    if first is not None and first.step is Step.PARAMETER and first.operator in bindings:
        return bindings[first.operator]
    return bindings[tensor.device.name] if isinstance(tensor.device, Symbol) else TOP


def _anchor(argument: Value) -> str:
    if isinstance(argument, DeviceValue):
        return argument.text
    return argument.anchor if isinstance(argument, Tensor | Module) else ""


def _has_history(tensor: Tensor) -> bool:
    return len(tensor.origin.steps) > 1


def _substitute_device(value: DeviceValue, bindings: Mapping[str, Value]) -> Value:
    if not isinstance(value.device, Symbol) or value.device.name not in bindings:
        return replace(value, device=device_for(value.device, bindings), text="")
    argument = bindings[value.device.name]
    if argument == NONE:
        return NONE
    place = as_device(argument)
    if place is not None:
        return place
    return DeviceValue(device_for(value.device, bindings), is_object=value.is_object)


def device_for(device: Device, bindings: Mapping[str, Value]) -> Device:
    """The device that a symbol of the function stands for in a call."""
    if not isinstance(device, Symbol):
        return device
    if device.name not in bindings:
        held = attribute_of_argument(device, bindings)
        return held if held is not None else device if is_own(device.name) else UNKNOWN
    argument = bindings[device.name]
    if device.kind is SymbolKind.DEVICE:
        if argument == NONE:
            # `device=None` is torch's default.
            return CPU
        place = as_device(argument)
        return UNKNOWN if place is None else place.device
    match argument:
        case Tensor() | Module():
            return argument.device
        case Batch(tensor=Tensor() as tensor) | Container(element=Tensor(evident=True) as tensor):
            return UNKNOWN if tensor.presumed else tensor.device
        case _:
            return UNKNOWN
