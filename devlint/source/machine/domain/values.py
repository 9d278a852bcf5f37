"""Abstract values: what an expression may evaluate to, as far as devices are concerned.

Values are immutable. What a program can change (objects, lists, dicts) lives in the heap, and a value refers
to it; see `devlint.source.machine.heap.objects`.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import count
from typing import Any, TypeAlias, TypeVar

from devlint.model import (
    NOWHERE,
    UNKNOWN,
    Confidence,
    Device,
    Origin,
    Rank0,
    SiteId,
)
from devlint.model.value import value
from devlint.source.machine.domain.importers import Importer
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.runs import Runs

PythonConstant: TypeAlias = str | bytes | int | float | complex | bool | None


@value
class Top:
    """Nothing is known. Beside other alternatives it is one of them: what came by some path."""

    overflow: bool = False
    """Whether it stands for more alternatives than are told apart; then it swallows all others."""


@value
class Known:
    """A Python constant."""

    value: PythonConstant


@value
class Option(Known):
    """The default of a command line option, which the user may give otherwise."""

    key: str = ""


@value
class AcceleratorName(Known):
    """The name or ordinal of a device that is an accelerator because there is one: to ask for it is to ask
    for that."""


@value
class NoAccelerator(Known):
    """False, where it is asked whether the program has to do without an accelerator."""


@value
class Scalar:
    """A Python number, string or truth value that is not known."""

    type: str = ""
    """`int`, `float`, `str`, `bool`; empty where that is not known."""
    flag: str = ""
    """The key of a flag that holds one value throughout a run: an option, the machine's equipment."""
    flag_default: bool = False
    availability: bool = False
    """Whether it says that the machine has an accelerator."""
    periodic: int = 0
    """1 if it is true in few turns of a loop only (a remainder is zero), -1 if it is false in few."""
    counter: bool = False
    """Whether it counts the turns of a loop."""
    text: str = ""
    """For a string, what it begins with: `cuda:` of `f"cuda:{rank}"`."""
    ordinal_of: DeviceValue | None = None
    """For the ordinal of a device, that device; without an ordinal of its own, it is the current one."""
    least: int | None = None
    """For a whole number, the least that it may be; None where that is not known."""


Shape: TypeAlias = tuple[int | None, ...]
"""The sizes of a tensor, of which some may be unknown."""


@value
class Tensor:
    """A tensor, and how it came to lie where it lies."""

    device: Device = UNKNOWN
    origin: Origin = NOWHERE
    rank0: Rank0 = None
    boolean: bool | None = None
    """Whether its dtype is bool; None where that is not known."""
    confidence: Confidence = Confidence.CERTAIN
    """How sure the device is."""
    role: str = ""
    """`parameter` or `buffer` of a module, or nothing."""
    attribute: str = ""
    """The plain attribute of a module that holds it."""
    pinned: bool | None = None
    """Whether it lies in pinned host memory; None where that is not known."""
    download: tuple[SiteId, int] | None = None
    """The asynchronous copy to the host that fills it, and the number of waits before that was started."""
    serial: int = 0
    """Which tensor it is: views and further names of one tensor have one number."""
    born: Loop | None = None
    """The innermost loop in which it was computed."""
    source: Input | None = None
    """The input of a hypothesis that has to be a tensor for this to be one."""
    shape: Shape | None = None
    """Its sizes; None where it is not known how many there are."""
    itemsize: int | None = None
    """How many bytes an element takes; None where that is not known."""
    activation: int = 0
    """The activation in which it was made or computed from what was made there."""
    left_behind: bool = False
    """Whether its module was moved without it."""
    element: bool = False
    """Whether it is an element of a tensor that a loop walks over."""
    spelled: str = ""
    """The constant by which the program names its device, `"cuda"`."""
    outcomes: frozenset[tuple[Hashable, bool]] = frozenset()
    """The tests that have chosen where it lies, each with its outcome."""


class Input:
    """A value that a hypothesis gives: if it is a tensor, or holds some, they lie on `device`.

    It has identity: what a program does to it anywhere shows whether it is a tensor.
    """

    __slots__ = (
        "asked", "boolean", "born", "computed_with", "confidence", "device", "evident", "has_device",
        "holds_tensors", "moved", "moved_in_place", "name", "origin", "part", "pinned", "presumed", "refuted",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        device: Device,
        confidence: Confidence,
        origin: Origin = NOWHERE,
        *,
        evident: bool = False,
        pinned: bool | None = None,
        born: Loop | None = None,
        presumed: bool = False,
        boolean: bool | None = None,
    ) -> None:
        self.name = name
        self.device = device
        self.confidence = confidence
        self.origin = origin
        self.evident = evident
        """Whether some use shows that it is a tensor."""
        self.refuted = False
        """Whether some use shows that it is none."""
        self.pinned = pinned
        self.born = born
        self.presumed = presumed
        """Whether it is what a callable returned of which nothing is known:
        good enough for a wait, not for a mismatch."""
        self.boolean = boolean
        """Whether it is what a comparison gives: truth values if it is a tensor, or else one."""
        self.holds_tensors = False
        """Whether it is said that all that it holds are tensors."""
        self.part = False
        """Whether it is a part of an input, known by its name: perhaps a tensor, and no module."""
        self.moved = False
        """Whether the program moves it, or what it has computed of it, to a device that it names:
        it need not have lain there."""
        self.moved_in_place: Device | None = None
        """Where it lies if it is no tensor: a statement moves it, and drops what a tensor's move gives."""
        self.has_device = False
        """Whether it was asked for its device, which models and others have too."""
        self.asked = False
        """Whether a test has told it from what is no tensor."""
        self.computed_with = False
        """Whether it was an operand of arithmetic, as numbers and arrays are too."""

    def show_tensor(self) -> None:
        """Take it for a tensor if it has a device and is computed with."""
        if self.has_device and self.computed_with and not self.refuted:
            self.evident = True

    def __repr__(self) -> str:
        return f"Input({self.name!r}, {self.device!r})"


@value
class DeviceValue:
    """A `torch.device`; strings that name devices are `Known`."""

    device: Device
    text: str = ""
    """How the program spells it."""
    confidence: Confidence = Confidence.CERTAIN
    of_tensor: bool = False
    """Whether it is the device of a tensor, which has an ordinal on an accelerator."""
    numbered: bool = False
    """Whether it has an ordinal, though it is not known which."""
    is_string: bool = False
    """Whether it is the string that names the device."""
    is_type: bool = False
    """Whether it is the string that names the device's type."""
    names_dtype: bool = False
    """Whether it is the string that names a tensor's type, `torch.cuda.FloatTensor`, which says its dtype and
    the type of its device."""


@value
class Array:
    """A NumPy array, a table of pandas, or another container of numbers on the host."""

    origin: Origin = NOWHERE
    type: str = "numpy.ndarray"
    may_be_number: bool = False
    """Whether it may be a number of a type of NumPy's instead."""
    drawn: bool = False
    """Whether a turn of a loop has drawn it, as a batch."""


@value
class External:
    """Something imported that is not of the project, by canonical name: `torch`, `numpy.array`."""

    name: str


@value
class GeneratorValue:
    """A `torch.Generator`."""

    device: Device
    origin: Origin = NOWHERE
    confidence: Confidence = Confidence.CERTAIN


@value
class Clock:
    """A reading of the host's clock, with the device work and the waits counted up to then."""

    name: str
    site: SiteId
    waits: int
    work: int
    sure_work: int = 0
    """The device work of which it is known that a device does it."""


@value
class Reference:
    """A place in the heap."""

    target: Object


@value
class Imported:
    """What `from module import name` binds, until it is first used: most of what is imported never is."""

    module: str
    name: str
    """Empty for the module itself."""
    importer: Importer


@value
class Method:
    """`receiver.name`, bound and not yet called, where the receiver is no object of the project."""

    receiver: Value
    name: str


@value
class Union:
    """One of a few values, by the path that was taken."""

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
    """What a value refers to: something with identity and cells. `heap` has the kinds of it."""

    __slots__ = ("cells", "holders", "lasting", "memo", "number", "runs", "stamp")

    def __init__(self, cells: Cells | None = None) -> None:
        self.cells: Cells = {} if cells is None else cells
        self.stamp = 0
        """Counts up with each change, so that what rests on the object can be told to be stale.

        A path takes it back with its changes."""
        self.lasting = 0
        """The stamp of the last change that is not taken back with the path on which it was made."""
        self.number = next(_serials)
        """Greater than that of whatever was made before; tensors count too."""
        self.holders: set[Object] | None = None
        """The objects that lead here, as far as what was worked out of them rests on this one; see
        `heap.derived`."""
        self.memo: dict[Any, Any] | None = None
        """What was worked out of it."""
        self.runs: Runs | None = None
        """What was worked out of runs of its cells, if it is wide and that was asked for."""


OF_SELF = "self."
"""What the names of attributes begin with."""
TOP = Top()
OVERFLOW = Top(overflow=True)
NONE = Known(None)
LEFT_OUT = Known(None)
"""None as the default of an argument that the caller of a function may well give."""
TRUE = Known(True)
FALSE = Known(False)
INT = Scalar("int")
FLOAT = Scalar("float")
STRING = Scalar("str")
BOOL = Scalar("bool")
AVAILABLE = Scalar("bool", availability=True)
"""True, where it is asked whether there is an accelerator."""
UNAVAILABLE = NoAccelerator(value=False)
SCALAR = Scalar()
DTYPE = Scalar("torch.dtype")
"""The dtype of a tensor: whatever it is, it names no device."""
ARRAY = Array()
_UNKNOWN_SCALARS = (INT, FLOAT, STRING, BOOL, SCALAR)

_V = TypeVar("_V")
_serials = count(1)


def changed(original: _V, **fields: object) -> _V:
    """The same value with some fields changed. (`dataclasses.replace` is slow,
    and this runs at each step.)"""
    kind: Any = type(original)
    content = kind._content(original)
    names: tuple[str, ...] = kind.__match_args__
    values = list(content) if len(names) > 1 else [content]
    for name, held in fields.items():
        values[names.index(name)] = held
    made: _V = kind(*values)
    return made


def with_identity(held: Value) -> Value:
    """A value of which nothing is known, or its type alone, as one that is the same wherever it is kept.

    A second test of it has the outcome of the first one, which two unknown values have not.
    """
    if type(held) is Scalar and any(held is each for each in _UNKNOWN_SCALARS):
        return changed(held)
    return Top() if held is TOP else held


def new_serial() -> int:
    """A number that no tensor has yet."""
    return next(_serials)


def alternatives(held: Value) -> tuple[Value, ...]:
    """The values that one stands for."""
    return held.alternatives if isinstance(held, Union) else (held,)
