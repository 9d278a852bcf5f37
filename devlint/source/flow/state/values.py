"""Abstract values, the elements of the lattice: what a name may hold, as far as devices are concerned.

Every value is frozen, so states can share them. `Top` is the top: nothing is known and nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

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

if TYPE_CHECKING:
    from devlint.source.flow.state.class_info import ClassInfo


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
    """A parameter itself, of a function or of a module, and not something computed from it."""
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

    @property
    def set_from_outside(self) -> frozenset[str]:
        """The attributes that it sets on other objects than `self`."""
        ...


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
