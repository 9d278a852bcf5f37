"""The lattice of abstract values: what a name may hold, as far as devices are concerned.

Every value is frozen, so states can share them. `Unknown` is the top: nothing is known and nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from devlint.model import (
    NOWHERE,
    UNKNOWN,
    Concrete,
    Device,
    Origin,
    SiteId,
    Symbol,
    SymbolKind,
    parse_device,
)
from devlint.source import ir
from devlint.source.walk import path


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
    """Its device is that of what an unknown callable was given: good enough for a wait, not for a
    mismatch."""
    pinned: bool | None = None
    """Whether it lies in pinned host memory, as a loader's batches do that is told to pin them."""
    optional: bool = False
    """On some path there is None in its place, so that nothing can be asked of it everywhere."""


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
    owner: str = "self"
    """The name that it has here, so that its `self.mask` is `owner.mask`; empty where it has none."""
    fields: tuple[tuple[str, Value], ...] = ()
    """What a dataclass was made of, where that is known."""


@dataclass(frozen=True, slots=True)
class Super:
    """`super()` in a method: what its class has from its bases."""

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
    """A NumPy array, or a table of pandas; `origin` remembers the device it came down from."""

    origin: Origin = NOWHERE
    type: str = "numpy.ndarray"


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


@dataclass(frozen=True, slots=True)
class Managed:
    """A context manager of the file: what `with` binds, and the default device within, if it sets one."""

    target: Value
    default: DeviceValue | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """What a data loader yields: tensors in a structure that is not known; whatever is taken out of it is
    one."""

    tensor: Tensor
    in_place: bool | None = None
    """Whether `.to()` moves the whole itself, rather than to give another; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Placer:
    """An object of a framework that puts models, loaders and tensors on its device."""

    device: Device


@dataclass(frozen=True, slots=True)
class Preprocessor:
    """A tokenizer, or what makes tensors of images and sounds, by its canonical name."""

    name: str


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


class Home(Protocol):
    """The file that a function or class stands in, as its interpreter knows it."""

    path: str
    """By which files are told apart."""


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function of the project, with the values of the names that it closes over."""

    function: ir.Function = field(compare=False)
    identity: int
    qualname: str
    info: ClassInfo | None = field(default=None, compare=False)
    """The class, for a method."""
    home: Home | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Partial:
    """`functools.partial(callee, ...)`: a callable with some of its arguments."""

    callee: Value
    arguments: tuple[tuple[Value, ir.Argument], ...]
    """Each with how it is written."""


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A class of the project."""

    info: ClassInfo


@dataclass(frozen=True, slots=True)
class Method:
    """`receiver.name`, not yet called."""

    receiver: Value
    name: str
    receiver_expression: ir.Expression = field(compare=False)


PROPERTIES = frozenset({"property", "cached_property", "functools.cached_property"})


def is_property(function: ir.Function) -> bool:
    """Whether a method is called by reading an attribute."""
    return any(path(decorator) in PROPERTIES for decorator in function.decorators)


OWN_MOVES = frozenset({"_apply", "to", "cuda", "cpu", "_move", "move_to_device"})
"""Methods by which a class moves its plain attributes itself."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """`self.name = value` in a constructor."""

    statement: SiteId
    value: SiteId
    after_super: bool
    """Whether `super().__init__()` was called before, so that a buffer can be registered instead."""


@dataclass(slots=True)
class ClassInfo:
    """What is known of a class of the project."""

    name: str
    node: ir.Class
    bases: tuple[Value, ...] = ()
    home: Home | None = None
    outside: tuple[str, ...] = ()
    """The canonical names of its bases outside the file."""
    is_module: bool = False
    own_names: frozenset[str] = frozenset()
    """What the class itself has by these names, before any instance has: methods, properties, defaults."""
    is_data_set: bool = False
    """Whether data loaders draw from it, in worker processes of theirs if need be."""
    unknown_base: bool = False
    """Whether a base stands outside the file and is not known to be, or not to be, a module."""
    methods: dict[str, ir.Function] = field(default_factory=dict)
    attributes: dict[str, Value] = field(default_factory=dict)
    """Instance attributes as `__init__` leaves them and no other method changes them; class attributes
    too."""
    given: dict[Device, Device] = field(default_factory=dict)
    """The devices of attributes, each with the one of the constructor's parameters that it is."""
    assignments: dict[str, list[Assignment]] = field(default_factory=dict)
    """The statements of `__init__` that set each attribute."""
    stated: tuple[str, ...] = ()
    """The fields that its body annotates, in order."""
    is_record: bool = False
    """Whether it is a dataclass or a named tuple, made of its fields."""
    moved_by_constructor: bool = False
    """Whether `__init__` moves the module: `self.cuda()`."""
    resolved: bool = False
    """Whether `attributes` has been worked out."""

    def method(self, name: str) -> tuple[ir.Function, ClassInfo] | None:
        """A method of the class or of its bases in the file, with the class that defines it."""
        for info in self.lineage():
            if name in info.methods:
                return info.methods[name], info
        return None

    def inherited(self, name: str) -> tuple[ir.Function, ClassInfo] | None:
        """A method of the bases in the project, with the class that defines it."""
        for info in self.lineage()[1:]:
            if name in info.methods:
                return info.methods[name], info
        return None

    def has_property(self, name: str) -> bool:
        """Whether an attribute is computed by a method of the class or of its bases in the file."""
        found = self.method(name)
        return found is not None and is_property(found[0])

    def lineage(self) -> list[ClassInfo]:
        """The class and its bases in the file, in the order in which attributes are looked up."""
        order: list[ClassInfo] = []
        pending: list[ClassInfo] = [self]
        while pending:
            info = pending.pop(0)
            if info not in order:
                order.append(info)
                pending.extend(
                    base.info for base in info.bases if hasattr(base, "info") and base.info is not None
                )
        return order

    def overrides(self) -> list[tuple[int, int]]:
        """The methods of its bases in its own file that it defines anew, each with the new one."""
        return [
            (base.methods[name].id, function.id)
            for base in self.lineage()[1:]
            for name, function in self.methods.items()
            if name in base.methods and base.home is self.home
        ]

    def moves_itself(self) -> bool:
        """Whether the class has its own way of moving what `nn.Module` does not know."""
        return any(name in info.methods for info in self.lineage() for name in OWN_MOVES)


Value: TypeAlias = (
    Top
    | Tensor
    | Alternatives
    | Module
    | Instance
    | Super
    | DeviceValue
    | Literal
    | Scalar
    | Availability
    | Array
    | Container
    | Optimizer
    | Loader
    | Managed
    | Batch
    | Placer
    | Preprocessor
    | Generator
    | Clock
    | External
    | FunctionValue
    | Partial
    | ClassValue
    | Method
)

CONSTRUCTOR = "__init__"
PARAMETER_MAKERS = frozenset(
    {"torch.nn.Parameter", "torch.nn.Buffer", "torch.nn.UninitializedParameter",
     "torch.nn.UninitializedBuffer", "register_buffer", "register_parameter", "add_state"}
)  # fmt: skip
"""What makes a tensor part of a module's state."""
TOP = Top()
SCALAR = Scalar()
NONE = Literal(None)


def as_device(value: Value) -> DeviceValue | None:
    """The device that a value names where a device is wanted, if it can name one.

    A string names one by its spelling; an integer is an ordinal of the current accelerator (`.cuda(1)`).
    """
    match value:
        case DeviceValue():
            return value
        case Literal(value=str(text)):
            device = parse_device(text)
            return None if device is None else DeviceValue(device, f'"{text}"', is_object=False)
        case Literal(value=bool()):
            return None
        case Literal(value=int(index)) if index >= 0:
            return DeviceValue(Concrete("cuda", index), str(index), is_object=False)
        case Tensor(evident=False, device=Symbol(name=name), untouched=True):
            # A parameter used as a device is one.
            return DeviceValue(Symbol(name, SymbolKind.DEVICE), name)
        case _:
            return None
