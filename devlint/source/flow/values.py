"""The lattice of abstract values: what a name may hold, as far as devices are concerned.

Every value is frozen, so states can share them. `Unknown` is the top: nothing is known and nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from devlint.model import (
    CPU,
    NOWHERE,
    UNKNOWN,
    Choice,
    Concrete,
    Device,
    Origin,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
    is_accelerator,
    parse_device,
)

if TYPE_CHECKING:
    from devlint.source import ir
    from devlint.source.flow.modules import ClassInfo


@dataclass(frozen=True, slots=True)
class Top:
    """Nothing is known."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor, or a parameter that may be one (`evident` False: no use has shown it)."""

    device: Device = UNKNOWN
    origin: Origin = NOWHERE
    evident: bool = True
    rank0: bool | None = None
    boolean: bool | None = None
    anchor: str = ""
    """An expression that gives its device anywhere in the function."""
    attribute: str = ""
    """The plain attribute of a module that holds it."""
    download: tuple[SiteId, int] | None = None
    """The asynchronous download that fills it, and the number of waits before it was started."""
    untouched: bool = False
    """A parameter itself, and not something computed from it."""
    walked: bool = False
    """An element of a tensor that a loop walks over."""
    conventional: bool = False
    """Its device follows from a convention (a data loader's batches lie on the host)."""
    presumed: bool = False
    """Its device is that of what an unknown callable was given: good enough for a wait, not for a mismatch."""


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of a few tensors, by the path taken; kept apart so that the path with the bug stays visible."""

    tensors: tuple[Tensor, ...]


@dataclass(frozen=True, slots=True)
class Module:
    """An `nn.Module`; `device` is where its parameters are."""

    device: Device = UNKNOWN
    origin: Origin = NOWHERE
    name: str = ""
    """Canonical name of its class, `torch.nn.Linear`, or the name of a class of the file."""
    info: ClassInfo | None = field(default=None, compare=False)
    anchor: str = ""
    evident: bool = True


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the file; `self` within its methods."""

    info: ClassInfo


@dataclass(frozen=True, slots=True)
class DeviceValue:
    """A value that names a device: a `torch.device`, a string, an ordinal."""

    device: Device
    text: str = ""
    """How the program can spell it anywhere in the function; empty where it cannot."""
    is_object: bool | None = None
    """Whether it is a `torch.device` rather than a string; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A Python constant."""

    value: str | bytes | int | float | complex | bool | None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A Python number or string whose value is not known."""


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether the machine has an accelerator: `torch.cuda.is_available()`, and what is built from it.

    `exact` is false for a test that asks for more (`... and not args.cpu`), whose failing says nothing.
    """

    type: str
    negated: bool = False
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Array:
    """A NumPy array; `origin` remembers the device it came down from."""

    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Container:
    """A tuple, list, set or dict. `items` is given where each element is known, by position or key."""

    element: Value
    items: tuple[tuple[object, Value], ...] | None = None
    mutable: bool = True
    data: bool = False
    """Built from Python numbers: `torch.tensor` of it is an upload."""


@dataclass(frozen=True, slots=True)
class Optimizer:
    """A `torch.optim.Optimizer`, or what is used like one."""


@dataclass(frozen=True, slots=True)
class Loader:
    """A `torch.utils.data.DataLoader`; `element` is what a step draws from it."""

    element: Value
    pinned: bool | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """What a data loader yields: tensors in a structure that is not known; whatever is taken out of it is one."""

    tensor: Tensor


@dataclass(frozen=True, slots=True)
class Generator:
    """A `torch.Generator`."""

    device: Device
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Clock:
    """A reading of the host's clock, and the waits and device operations counted up to then."""

    name: str
    site: SiteId
    waits: int
    work: int


@dataclass(frozen=True, slots=True)
class External:
    """Something imported, by canonical name: `torch`, `torch.nn.functional.relu`, `numpy.array`."""

    name: str


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function of the file, with the values of the names that it closes over."""

    function: ir.Function = field(compare=False)
    identity: int
    qualname: str
    info: ClassInfo | None = field(default=None, compare=False)
    """The class, for a method."""


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A class of the file."""

    info: ClassInfo


@dataclass(frozen=True, slots=True)
class Method:
    """`receiver.name`, not yet called."""

    receiver: Value
    name: str
    receiver_expression: ir.Expression = field(compare=False)


Value: TypeAlias = (
    Top
    | Tensor
    | Alternatives
    | Module
    | Instance
    | DeviceValue
    | Literal
    | Scalar
    | Availability
    | Array
    | Container
    | Optimizer
    | Loader
    | Batch
    | Generator
    | Clock
    | External
    | FunctionValue
    | ClassValue
    | Method
)

TOP = Top()
SCALAR = Scalar()
NONE = Literal(None)
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
            return right
        case (
            (Tensor() | Alternatives() | Module() | Container() | Generator() | Instance()),
            Literal(value=None),
        ):
            return left
        case (External(), Literal(value=None)):
            return left
        case (Literal(value=None), External()):
            return right
        case Module(), Module():
            return _join_modules(left, right)
        case ((DeviceValue() | Literal()), (DeviceValue() | Literal())):
            return _join_devices(left, right)
        case ((Literal() | Scalar() | Availability()), (Literal() | Scalar() | Availability())):
            return SCALAR
        case Container(), Container():
            return _join_containers(left, right)
        case Array(), Array():
            return Array()
        case Loader(), Loader():
            return Loader(join(left.element, right.element))
        case Batch(), Batch():
            tensor = join_devices(left.tensor, right.tensor)
            return Batch(tensor)
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


def _alternatives(value: Tensor | Alternatives) -> tuple[Tensor, ...]:
    return value.tensors if isinstance(value, Alternatives) else (value,)


def _join_tensors(tensors: tuple[Tensor, ...]) -> Value:
    merged: list[Tensor] = []
    for tensor in tensors:
        for position, other in enumerate(merged):
            if other.device == tensor.device or not _worth_keeping_apart(other, tensor):
                merged[position] = join_devices(other, tensor)
                break
        else:
            merged.append(tensor)
    if len(merged) == 1:
        return merged[0]
    if len(merged) > MAX_ALTERNATIVES:
        result = merged[0]
        for tensor in merged[1:]:
            result = join_devices(result, tensor)
        return result
    return Alternatives(tuple(merged))


def _worth_keeping_apart(left: Tensor, right: Tensor) -> bool:
    """Only a tensor made without a device, against one from outside, is: what is moved on one path alone
    (`if args.cuda: x = x.cuda()`) is usually moved together with what it meets."""
    return (_made_implicitly(left) and isinstance(right.device, Symbol)) or (
        _made_implicitly(right) and isinstance(left.device, Symbol)
    )


def _made_implicitly(tensor: Tensor) -> bool:
    made = tensor.origin.made()
    return made is not None and made.implicit and tensor.device == CPU


def join_devices(left: Tensor, right: Tensor) -> Tensor:
    """One tensor that covers two."""
    return Tensor(
        device=join_device(left.device, right.device),
        origin=left.origin
        if left.origin == right.origin
        else _longer(left.origin, right.origin, left, right),
        evident=left.evident and right.evident,
        rank0=left.rank0 if left.rank0 == right.rank0 else None,
        boolean=left.boolean if left.boolean == right.boolean else None,
        anchor=left.anchor if left.anchor == right.anchor else "",
        attribute=left.attribute if left.attribute == right.attribute else "",
        conventional=left.conventional or right.conventional,
        presumed=left.presumed or right.presumed,
    )


def _longer(left: Origin, right: Origin, a: Tensor, b: Tensor) -> Origin:
    """Of two histories that end on an accelerator choice, the one that moved tells more."""
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


def _join_devices(left: DeviceValue | Literal, right: DeviceValue | Literal) -> Value:
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


def as_device(value: Value) -> DeviceValue | None:
    """The device that a value names where a device is wanted, if it can name one.

    A string names one by its spelling; an integer is an ordinal of the current accelerator (`.cuda(1)`).
    """
    match value:
        case DeviceValue():
            return value
        case Literal(value=str(text)):
            device = parse_device(text)
            return None if device is None else DeviceValue(device, repr(text), is_object=False)
        case Literal(value=bool()):
            return None
        case Literal(value=int(index)) if index >= 0:
            return DeviceValue(Concrete("cuda", index), str(index), is_object=False)
        case Tensor(evident=False, device=Symbol(name=name), untouched=True):
            # A parameter used as a device is one.
            return DeviceValue(Symbol(name, SymbolKind.DEVICE), name)
        case _:
            return None


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
            return Batch(tensor) if isinstance(tensor, Tensor) else TOP
        case Container():
            items = value.items and tuple((key, map_devices(item, change)) for key, item in value.items)
            return replace(value, element=map_devices(value.element, change), items=items)
        case Loader():
            return replace(value, element=map_devices(value.element, change))
        case _:
            return value
