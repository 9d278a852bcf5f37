"""The lattice of abstract values: joins, and the mapping of devices in a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from devlint.model import (
    CPU,
    NOWHERE,
    UNKNOWN,
    Choice,
    Concrete,
    Device,
    Origin,
    Step,
    Symbol,
    is_accelerator,
)
from devlint.source.flow.state.values import (
    PARAMETER_MAKERS,
    SCALAR,
    TOP,
    Alternatives,
    Array,
    Availability,
    Batch,
    Container,
    DeviceValue,
    External,
    Generator,
    Instance,
    Literal,
    Loader,
    Managed,
    Module,
    Partial,
    Scalar,
    Tensor,
    Value,
    as_device,
)

MAX_ALTERNATIVES = 3


def join(left: Value, right: Value) -> Value:
    """The least value that covers both: what a name holds where two paths meet."""
    if left == right:
        return left
    match left, right:
        case ((Tensor() | Alternatives()), (Tensor() | Alternatives())):
            return _join_tensors((*_alternatives(left), *_alternatives(right)))
        case Literal(value=None), (
            Tensor() | Alternatives() | Module() | Container() | Generator() | Instance()
        ):
            return _or_none(right)
        case (
            (Tensor() | Alternatives() | Module() | Container() | Generator() | Instance()),
            Literal(value=None),
        ):
            return _or_none(left)
        case (External(), Literal(value=None)):
            return left
        case (Literal(value=None), External()):
            return right
        case Module(), Module():
            return _join_modules(left, right)
        case ((DeviceValue() | Literal()), (DeviceValue() | Literal())):
            return _join_device_values(left, right)
        case ((Literal() | Scalar() | Availability()), (Literal() | Scalar() | Availability())):
            return SCALAR
        case Container(), Container():
            return _join_containers(left, right)
        case Array(), Array():
            return Array()
        case Loader(), Loader():
            return Loader(join(left.element, right.element))
        case Generator(), Generator():
            return _join_generators(left, right)
        case ((Generator() as made), Tensor(evident=False)) if _made_implicitly(made):
            return made
        case Tensor(evident=False), (Generator() as made) if _made_implicitly(made):
            return made
        case Instance(), Instance() if left.info is right.info:
            return _join_instances(left, right)
        case Batch(), Batch():
            in_place = left.in_place if left.in_place == right.in_place else None
            return Batch(join_tensors(left.tensor, right.tensor), in_place)
        case _:
            return TOP


def join_all(values: list[Value]) -> Value:
    """The join of several values; of none, nothing is known."""
    if not values:
        return TOP
    result = values[0]
    for value in values[1:]:
        result = join(result, value)
    return result


def _or_none(value: Value) -> Value:
    """A value in whose place there may be None: no fix can rely on it."""
    match value:
        case Tensor():
            return replace(value, anchor="", optional=True)
        case Alternatives(tensors=tensors):
            return Alternatives(tuple(replace(tensor, anchor="", optional=True) for tensor in tensors))
        case Module():
            return replace(value, anchor="")
        case _:
            return value


def _alternatives(value: Tensor | Alternatives) -> tuple[Tensor, ...]:
    return value.tensors if isinstance(value, Alternatives) else (value,)


def _join_tensors(tensors: tuple[Tensor, ...]) -> Value:
    merged: list[Tensor] = []
    for tensor in tensors:
        for position, other in enumerate(merged):
            if other.device == tensor.device or not _worth_keeping_apart(other, tensor):
                merged[position] = join_tensors(other, tensor)
                break
        else:
            merged.append(tensor)
    if len(merged) == 1:
        return merged[0]
    if len(merged) > MAX_ALTERNATIVES:
        result = merged[0]
        for tensor in merged[1:]:
            result = join_tensors(result, tensor)
        return result
    return Alternatives(tuple(merged))


def _worth_keeping_apart(left: Tensor, right: Tensor) -> bool:
    """Only a tensor made without a device, against one from outside, is: what is moved on one path alone
    (`if args.cuda: x = x.cuda()`) is usually moved together with what it meets."""
    return (_made_implicitly(left) and isinstance(right.device, Symbol)) or (
        _made_implicitly(right) and isinstance(left.device, Symbol)
    )


def _made_implicitly(value: Tensor | Generator) -> bool:
    """Whether it is on the host because it was made without a device."""
    made = value.origin.made()
    return made is not None and made.implicit and value.device == CPU


def join_tensors(left: Tensor, right: Tensor) -> Tensor:
    """One tensor that covers two."""
    return Tensor(
        device=join_device(left.device, right.device),
        origin=left.origin
        if left.origin == right.origin
        else _more_telling(left.origin, right.origin, left, right),
        evident=left.evident and right.evident,
        rank0=left.rank0 if left.rank0 == right.rank0 else None,
        boolean=left.boolean if left.boolean == right.boolean else None,
        anchor=left.anchor if left.anchor == right.anchor else "",
        attribute=left.attribute if left.attribute == right.attribute else "",
        untouched=left.untouched and right.untouched and left.device == right.device,
        conventional=left.conventional or right.conventional,
        presumed=left.presumed or right.presumed,
        optional=left.optional or right.optional,
    )


def _more_telling(left: Origin, right: Origin, a: Tensor, b: Tensor) -> Origin:
    """Of two histories that end on an accelerator choice, the one that moved tells more."""
    registered = [o for o in (left, right) if o.last is not None and o.last.operator in PARAMETER_MAKERS]
    if len(registered) == 1:
        plain, value = (right, b) if registered[0] is left else (left, a)
        # Registered on one path only: on the other, nothing moves it; a number there holds the place.
        return registered[0] if value.rank0 is True else plain
    if a.device != b.device:
        moved = [o for o in (left, right) if o.last is not None and o.last.step is Step.MOVED]
        return moved[0] if moved else NOWHERE
    return left


def join_device(left: Device, right: Device) -> Device:
    """The device where two paths meet: the CPU on one and an accelerator on the other is a choice."""
    if left == right:
        return left
    for one, other in ((left, right), (right, left)):
        if one == CPU and is_accelerator(other):
            return (
                other
                if isinstance(other, Choice)
                else Choice(other)
                if isinstance(other, Concrete)
                else UNKNOWN
            )
        if isinstance(one, Choice) and (isinstance(other, Choice) or is_accelerator(other)):
            return one
    if isinstance(left, Concrete) and isinstance(right, Concrete) and left.type == right.type:
        return Concrete(left.type)
    return UNKNOWN


def _join_modules(left: Module, right: Module) -> Module:
    return Module(
        device=join_device(left.device, right.device),
        origin=left.origin if left.origin == right.origin else NOWHERE,
        name=left.name if left.name == right.name else "",
        info=left.info if left.info is right.info else None,
        anchor=left.anchor if left.anchor == right.anchor else "",
        evident=left.evident and right.evident,
    )


def _join_generators(left: Generator, right: Generator) -> Generator:
    """Of one from outside and one made without a device, the path with the second stays visible."""
    for one, other in ((left, right), (right, left)):
        if _made_implicitly(one) and other.device == UNKNOWN and other.origin.made() is None:
            return one
    return left if left.device == right.device else Generator(join_device(left.device, right.device))


def _join_instances(left: Instance, right: Instance) -> Instance:
    owner = left.owner if left.owner == right.owner else ""
    others = dict(right.fields)
    fields = tuple((name, join(value, others[name])) for name, value in left.fields if name in others)
    return Instance(left.info, owner, fields)


def _join_device_values(left: DeviceValue | Literal, right: DeviceValue | Literal) -> Value:
    first, second = as_device(left), as_device(right)
    if first is None or second is None:
        return SCALAR if isinstance(left, Literal) and isinstance(right, Literal) else TOP
    return DeviceValue(
        join_device(first.device, second.device),
        first.text if first.text == second.text else "",
        first.is_object if first.is_object == second.is_object else None,
    )


def _join_containers(left: Container, right: Container) -> Container:
    if () in (left.items, right.items):
        # An empty list, and what it grows to.
        full = right if left.items == () else left
        return Container(full.element, None, full.mutable, full.data)
    items = None
    if (
        left.items is not None
        and right.items is not None
        and [key for key, _ in left.items] == [key for key, _ in right.items]
    ):
        items = tuple((key, join(a, b)) for (key, a), (_, b) in zip(left.items, right.items, strict=True))
    return Container(
        join(left.element, right.element), items, left.mutable or right.mutable, left.data and right.data
    )


def map_devices(value: Value, change: Callable[[Device], Device]) -> Value:
    """The same value with every device in it changed."""
    match value:
        case Tensor() | Module() | DeviceValue() | Generator():
            device = change(value.device)
            return value if device == value.device else replace(value, device=device)
        case Alternatives():
            return join_all([map_devices(tensor, change) for tensor in value.tensors])
        case Batch():
            tensor = map_devices(value.tensor, change)
            return Batch(tensor, value.in_place) if isinstance(tensor, Tensor) else TOP
        case Container():
            items = value.items and tuple((key, map_devices(item, change)) for key, item in value.items)
            return replace(value, element=map_devices(value.element, change), items=items)
        case Loader():
            return replace(value, element=map_devices(value.element, change))
        case Managed(default=default):
            lent = None if default is None else replace(default, device=change(default.device))
            return Managed(map_devices(value.target, change), lent)
        case Partial():
            arguments = tuple((map_devices(held, change), written) for held, written in value.arguments)
            return Partial(map_devices(value.callee, change), arguments)
        case Instance(fields=fields) if fields:
            return replace(value, fields=tuple((name, map_devices(held, change)) for name, held in fields))
        case _:
            return value
