"""Abstract values: the possible results of an expression, as far as devices are concerned.

Values are immutable. The mutable state of a program (objects, lists, dicts) is in the heap, and a value
refers to it; see `devlint.source.machine.heap.objects`.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeAlias, TypeVar

from devlint.model import (
    NOWHERE,
    UNKNOWN,
    Concrete,
    Confidence,
    Device,
    Origin,
    Rank0,
    SiteId,
)
from devlint.model.value import value
from devlint.source.machine.domain.clocks import Clock
from devlint.source.machine.domain.importers import Importer
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.runs import Runs
from devlint.source.machine.domain.serials import new_serial

PythonConstant: TypeAlias = str | bytes | int | float | complex | bool | None


@value
class Top:
    """The top: any value. In a union it is the alternative of some path."""

    overflow: bool = False
    """Whether it stands for more alternatives than a union has; then it absorbs all others in a join."""


@value
class Known:
    """A Python constant."""

    value: PythonConstant


@value
class _SomeNone(Known):
    """None, of which more is known. It equals every other None."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and other.value is None

    def __hash__(self) -> int:
        return hash(NONE)


@value
class OmittedArgument(_SomeNone):
    """None as the default of an argument that a caller is likely to pass."""


@value
class EmptyBuffer(_SomeNone):
    """None as a buffer of a module: a tensor that is assigned to its name takes its place."""


@value
class AcceleratorName(Known):
    """The name or ordinal of an accelerator, selected because there is one; a test of it tests for one."""


@value
class NoAccelerator(Known):
    """False as the answer to the test whether the program has to run without an accelerator."""


@value
class Scalar:
    """A Python number, string or truth value of known type and unknown value."""

    type: str = ""
    """`int`, `float`, `str`, `bool`; empty if the type is not known."""
    flag: str = ""
    """The key of a flag, which is constant during a run: an option, or a fact about the machine."""
    flag_default: bool = False
    availability: bool = False
    """Whether it says that the machine has an accelerator."""
    periodic: int = 0
    """1 if it is true in few turns of a loop (a remainder is zero), -1 if it is false in few."""
    counter: bool = False
    """Whether it counts the turns of a loop."""
    given: bool = False
    """Whether it is an argument of a function that nothing calls: another call may give another number."""
    turn_of: SiteId | None = None
    """For a truth value that holds in one turn of a loop alone: the loop."""
    text: str = ""
    """For a string, its known prefix: `cuda:` of `f"cuda:{rank}"`."""
    ordinal_of: DeviceValue | None = None
    """For the ordinal of a device: that device. If the device has no ordinal, it is the current one."""
    least: int | None = None
    """For an integer, a lower bound; for a string, one of its length; None if none is known."""
    most: int | None = None
    """For an integer, an upper bound; None if none is known."""
    names: tuple[Concrete, ...] = ()
    """For a string, the devices whose names are parts of it, as in `f"{key}_{x.device}"`."""


Shape: TypeAlias = tuple[int | None, ...]
"""The sizes of a tensor, some of which may be unknown."""


@value
class Tensor:
    """A tensor, with the origin of its device."""

    device: Device = UNKNOWN
    origin: Origin = NOWHERE
    rank0: Rank0 = None
    boolean: bool | None = None
    """Whether its dtype is bool; None if that is not known."""
    floating: bool | None = None
    """Whether its dtype is floating point; None if that is not known."""
    confidence: Confidence = Confidence.CERTAIN
    """The confidence of its device."""
    role: str = ""
    """`parameter` or `buffer` if a module has registered it, else empty."""
    attribute: str = ""
    """The plain attribute of a module that holds it."""
    pinned: bool | None = None
    """Whether it is in pinned host memory; None if that is not known."""
    download: tuple[SiteId, int] | None = None
    """The asynchronous copy to the host that fills it, and the number of waits before that copy started."""
    serial: int = 0
    """The identity of the tensor: views and other names of one tensor share the number."""
    born: Loop | None = None
    """The innermost loop in which it was computed."""
    source: Input | None = None
    """The input of a hypothesis on which its device depends, and, unless `assured`, that it is a tensor."""
    assured: bool = False
    """Whether it is a tensor even if its source is none, because another operand is one."""
    shape: Shape | None = None
    """Its sizes; None if the number of dimensions is not known."""
    itemsize: int | None = None
    """The number of bytes of an element; None if that is not known."""
    activation: int = 0
    """The activation in which it, or a tensor from which it was computed, was created."""
    left_behind: bool = False
    """Whether its module was moved and left it behind."""
    element: bool = False
    """Whether it is an element of a tensor over which a loop iterates."""
    spelled: str = ""
    """The constant by which the program names its device: `"cuda"`."""
    outcomes: frozenset[tuple[Hashable, bool]] = frozenset()
    """The tests that determined its device, with their outcomes."""
    mixed_at: SiteId | None = None
    """The operation on operands of several devices that decided its device, if there was one."""
    in_graph: bool = False
    """Whether autograd computes it from parameters, and so keeps no gradient of it."""


@value
class DeviceValue:
    """A `torch.device`. Strings that name devices are `Known`."""

    device: Device
    text: str = ""
    """Its spelling in the program."""
    confidence: Confidence = Confidence.CERTAIN
    of_tensor: bool = False
    """Whether it is the device of a tensor, which has an ordinal on an accelerator."""
    numbered: bool = False
    """Whether it has an ordinal that is not known."""
    any_ordinal: bool = False
    """Whether its ordinal is one that the program chooses, so that it may be another device of its type."""
    is_string: bool = False
    """Whether it is the string that names the device."""
    is_type: bool = False
    """Whether it is the string that names the device's type."""
    names_dtype: bool = False
    """Whether it is the string that names a tensor's type, `torch.cuda.FloatTensor`, which contains its dtype
    and its device's type."""


@value
class Array:
    """A NumPy array, a table of pandas, or another container of numbers on the host."""

    origin: Origin = NOWHERE
    type: str = "numpy.ndarray"
    may_be_number: bool = False
    """Whether it may be a NumPy scalar instead."""
    drawn: bool = False
    """Whether a turn of a loop has drawn it as a batch."""
    boolean: bool = False
    """Whether it holds truth values."""
    dimensions: int = 0
    """1 if it has one, so that its elements are numbers; 2 if it has more, and is not known to have few
    elements; 0 if nothing is known."""
    least: int = 0
    """How many dimensions it has at least; 0 if nothing is known."""
    held: bool = False
    """Whether a variable or an attribute holds it, or the array of which it is a view."""
    written: Loop | None = None
    """The innermost loop that assigned it there, or that assigned to its elements."""


@value
class External:
    """An imported object from outside the project, by canonical name: `torch`, `numpy.array`."""

    name: str


@value
class GeneratorValue:
    """A `torch.Generator`."""

    device: Device
    origin: Origin = NOWHERE
    confidence: Confidence = Confidence.CERTAIN


@value
class Reference:
    """A reference to an object of the heap."""

    target: Object


@value
class Imported:
    """The binding of `from module import name` before its first use; most imported names are never used."""

    module: str
    name: str
    """Empty for the module itself."""
    importer: Importer


@value
class Method:
    """`receiver.name`, bound and not yet called, where the receiver is not an object of the project."""

    receiver: Value
    name: str


@value
class Union:
    """A union: one of a few values, depending on the path."""

    alternatives: tuple[Value, ...]


Value: TypeAlias = (
    Top
    | Known
    | Scalar
    | Tensor
    | Input
    | DeviceValue
    | Array
    | External
    | GeneratorValue
    | Clock
    | Reference
    | Imported
    | Method
    | Union
)

Cells: TypeAlias = dict[object, Value]


class Object:
    """The target of a reference: an object with identity and cells. `heap` contains its subclasses."""

    __slots__ = ("cells", "holders", "lasting", "memo", "number", "runs", "stamp")

    def __init__(self, cells: Cells | None = None) -> None:
        self.cells: Cells = {} if cells is None else cells
        self.stamp = 0
        """Increases with each change, so that derived data can be stale. The end of a path restores it."""
        self.lasting = 0
        """The stamp of the last change that the end of its path does not undo."""
        self.number = new_serial()
        """The order of creation, shared with tensors: greater than that of everything created before."""
        self.holders: set[Object] | None = None
        """The objects that refer to this one and whose derived data depend on it; see `heap.derived`."""
        self.memo: dict[Any, Any] | None = None
        """The data derived from it."""
        self.runs: Runs | None = None
        """The data derived from runs of its cells, if it is wide and they were requested."""


OF_SELF = "self."
"""The prefix of the cells of attributes."""
TOP = Top()
OVERFLOW = Top(overflow=True)
NONE = Known(None)
OMITTED = OmittedArgument(None)
EMPTY_BUFFER = EmptyBuffer(None)
TRUE = Known(True)
FALSE = Known(False)
INT = Scalar("int")
FLOAT = Scalar("float")
STRING = Scalar("str")
BOOL = Scalar("bool")
AVAILABLE = Scalar("bool", availability=True)
"""True as the answer to the test whether there is an accelerator."""
UNAVAILABLE = NoAccelerator(value=False)
SCALAR = Scalar()
DTYPE = Scalar("torch.dtype")
"""A tensor's dtype, which names no device."""
ARRAY = Array()
UNKNOWN_SCALARS = (INT, FLOAT, STRING, BOOL, SCALAR)

_V = TypeVar("_V")


def changed(original: _V, **fields: object) -> _V:
    """A copy of a value with some fields changed. (`dataclasses.replace` is too slow for each step.)"""
    kind: Any = type(original)
    content = kind._content(original)
    made: _V = kind(*content) if len(kind.__match_args__) > 1 else kind(content)
    for name, held in fields.items():
        setattr(made, name, held)
    return made


def alternatives(held: Value) -> tuple[Value, ...]:
    """The alternatives of a value."""
    return held.alternatives if isinstance(held, Union) else (held,)
