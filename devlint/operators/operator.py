"""The types of one row of the operators table."""

from __future__ import annotations

from enum import Enum

from devlint.model import Cause
from devlint.model.value import value


class DeviceRule(Enum):
    """Which devices an operator's tensor operands may lie on."""

    SAME = "same"
    """All on one device; a 0-dim host operand raises too (`ExactSame`)."""
    SAME_OR_0_DIM_HOST = "same-or-0-dim-host"
    """All on one device, but inputs may be 0-dim host tensors (`TensorIterator`).

    Never `out`, and never the first operand of an in-place operator.
    """
    INDEX = "index"
    """Indices may be on the host or on the indexed tensor's device, on no other."""
    HOST_ONLY_ARGUMENT = "host-only argument"
    """The arguments marked `host` must be on the CPU."""
    FACTORY = "factory"
    """Makes a tensor on the device argument's device, else on the default device.

    `torch.tensor` of a tensor stays on that one's device.
    """
    LIKE = "like"
    """Makes a tensor on the first operand's device unless a device is given."""
    MOVES = "moves"
    """Returns its first operand on another device: `.to`, `.cuda`, `.cpu`."""
    COPIES_INTO = "copies-into"
    """Copies across devices into its first operand, legally: `copy_`, `x[a:b] = t`."""
    HOST_READ = "host-read"
    """Returns a Python value, an array, or text: `.item()`, `.tolist()`, `.numpy()`."""
    METADATA = "metadata"
    """Only reads shape, dtype or device, or takes no tensors; permits all devices."""


MAKERS = frozenset({DeviceRule.FACTORY, DeviceRule.LIKE})
"""The rules of operators that create a tensor, and may take its device."""


class ArgumentKind(Enum):
    """What an argument takes, as far as devices are concerned."""

    TENSOR = "tensor"
    TENSORS = "tensors"
    """A list or tuple of tensors."""
    GENERATOR = "generator"
    DEVICE = "device"
    OTHER = "other"


@value
class OperatorArgument:
    """One argument, named as torch names it; the union over the overloads."""

    name: str
    kind: ArgumentKind
    host: bool = False
    """Must be on the CPU."""
    index: bool = False
    """An index, in the sense of `DeviceRule.INDEX`."""
    zero_dim_host: bool | None = None
    """Whether this argument may be a 0-dim host tensor, if it differs from the operator's rule."""
    anywhere: bool = False
    """May be on any device, whatever the operator's rule: the value of `fill_`, which is read."""
    zero_dim_anywhere: bool = False
    """May be a 0-dim tensor on any device: an operand of `where`, which is copied."""
    keyword_only: bool = False
    variadic: bool = False
    """Takes all positional arguments from its place on: `size` in `torch.zeros(2, 3)`, `*tensors`."""


class ResultKind(Enum):
    """What an operator returns."""

    TENSOR = "tensor"
    TENSORS = "tensors"
    """A tuple or list of tensors."""
    SCALAR = "scalar"
    ARRAY = "array"
    DEVICE = "device"
    CONTAINER = "container"
    """Nested Python lists of numbers."""
    SELF = "self"
    """Its first operand itself: in-place operators."""
    NONE = "none"
    OTHER = "other"


class ResultDevice(Enum):
    """Which device the result lies on."""

    OPERANDS = "operands"
    """The common device of the operands that are not 0-dim host tensors."""
    FIRST = "first"
    """The first operand's."""
    ARGUMENT = "argument"
    """The device argument's; without one, the default device for a factory, the first operand's else."""
    HOST = "host"
    ACCELERATOR = "accelerator"
    """The current accelerator: `.cuda()`."""
    NONE = "none"


class Dimensions(Enum):
    """What is known of the result's number of dimensions."""

    UNKNOWN = "unknown"
    ZERO = "zero"
    """Always 0-dim: `dist`."""
    ZERO_WITHOUT_DIM = "zero without dim"
    """0-dim if neither `dim` nor `axis` is given: `sum`."""
    OPERANDS = "operands"
    """The largest of the operands' ranks: elementwise."""
    NONZERO = "nonzero"
    """At least 1-dim: `nonzero`, `cat`."""


@value
class OperatorResult:
    """What an operator returns, and where."""

    kind: ResultKind
    device: ResultDevice
    rank: Dimensions = Dimensions.UNKNOWN
    boolean: bool | None = None
    """Whether the dtype is bool; None where it depends on the operands."""
    tensors_with: tuple[str, ...] = ()
    """Arguments that make the result a tuple if one is given and neither None nor False: `max` with `dim`."""
    floating: bool | None = None
    """Whether the dtype is floating point where that of the operands is; False where it never is."""


class SyncWhen(Enum):
    """All conditions under which an operator makes the host wait, for operands on an accelerator."""

    NEVER = "never"
    ALWAYS = "always"
    NOT_EMPTY = "the first operand has elements"
    SAME_SHAPE = "the operands have one shape"
    MASK_INDEX = "an index is a boolean tensor"
    HOST_INDEX = "an index is a list or a host tensor"
    SCALAR_INDEX = "an index is a 0-dim integer tensor, or a slice has a tensor bound"
    SCALAR_INDEX_OF_TENSOR = "an index is a 0-dim integer tensor, and a tensor is written through it"
    """Or a slice has a tensor bound. Not for a 0-dim tensor that lies with the one written to and has its
    dtype: then the index stays on the device, as it does for a number."""
    SCALAR_VALUE = "a Python scalar is written through an index"
    """Through integers for every dimension or an integer tensor or list; not through a slice or a mask."""
    HOST_SCALAR_VALUE = "a 0-dim host tensor is written through an index"
    """Through the same indices as a Python scalar."""
    DEVICE_SCALAR_VALUE = "the value written or filled is a 0-dim device tensor"
    TO_HOST_BLOCKING = "the target is the host and non_blocking is not set"
    FROM_PAGEABLE_HOST = "the source is pageable host memory and non_blocking is not set"
    HOST_DATA = "the data are Python numbers or a list, and the target is an accelerator"
    ZERO_DIM_HOST_OPERAND = "an operand is a 0-dim host tensor"
    WITHOUT_OUTPUT_SIZE = "no output size is given"
    WITHOUT_NUM_CLASSES = "num_classes is not given"
    WITHOUT_RANGE = "no range is given"
    TENSOR_BOUND = "a bound or count is a device tensor"
    NUMBER_AND_TENSOR = "one bound is a number, and the other one a 0-dim device tensor"
    TENSOR_REPEATS = "repeats is a tensor"
    VALIDATES_ARGUMENTS = "arguments are validated"
    ERROR_IF_NONFINITE = "error_if_nonfinite is set"
    LABEL_SMOOTHING_WITH_WEIGHT = "label smoothing, weight and mean reduction together"
    CONDITION_ALONE = "the condition is given alone"
    CHECK_ERRORS = "check_errors is set"
    FORCE = "force is set"
    SORTER = "sorter is given"
    CHECKED_LENGTHS = "lengths are given and unsafe is not set"
    NEGATIVE_POWER = "the power is negative"
    MATRIX_NORM_BY_SINGULAR_VALUES = "ord is 2, -2 or 'nuc' and the operand is a matrix"
    LARGE_INPUT = "the operands are so large or so shaped that another algorithm is chosen"
    TENSORS_IN_DATA = "the data hold device tensors"
    UNSORTED = "the sequences were packed with enforce_sorted=False"
    BACKWARD_ONLY = "only its backward waits"


MODULE_CALL = "torch.nn.Module.__call__"
"""The name for calls of modules, which are not operators. The first operand is the module."""

SCALAR_ARGUMENT_WAITS = frozenset(
    {
        SyncWhen.SCALAR_INDEX,
        SyncWhen.SCALAR_INDEX_OF_TENSOR,
        SyncWhen.DEVICE_SCALAR_VALUE,
        SyncWhen.TENSOR_BOUND,
        SyncWhen.NUMBER_AND_TENSOR,
    }
)
"""The conditions under which the scalar that the host reads is given beside the first operand."""

_NAMES_OF_THE_FIRST = frozenset({"input", "self", "x"})
"""In functions, in methods, and in functions that follow NumPy."""

WRITTEN = ("value", "values", "source", "src")
"""The names of the argument that an operator writes into its first operand."""


@value
class Sync:
    """Whether, when and why an operator makes the host wait."""

    when: SyncWhen
    cause: Cause | None = None
    """None only for `NEVER`."""
    source: str = ""
    """The source of the claim: a file of torch, an issue, or a measurement."""


@value
class Operator:
    """One row of the table."""

    name: str
    """Canonical: `torch.add`, `torch.Tensor.add_`, `torch.nn.functional.linear`, `torch.Tensor.__add__`."""
    rule: DeviceRule
    arguments: tuple[OperatorArgument, ...]
    """Positional ones first, in order, then keyword-only ones. The first argument of a method is `self`."""
    result: OperatorResult
    sync: Sync
    random: bool = False
    """Whether it draws from a generator, so that its device decides which random stream is used."""
    source: str = ""
    """Where the device rule comes from."""
    since: str = ""
    """First torch version for which this row holds; empty for any."""
    until: str = ""
    """First torch version for which it no longer holds; empty for any."""
    also: tuple[Sync, ...] = ()
    """Further conditions, each of which makes the host wait by itself: `x[idx]` has several."""

    @property
    def positional(self) -> tuple[OperatorArgument, ...]:
        """The arguments that can be given without their names, in order."""
        return tuple(argument for argument in self.arguments if not argument.keyword_only)

    def at(self, position: int) -> OperatorArgument | None:
        """The argument at a position; None after the last one.

        A variadic argument, which is always the last positional one, takes all values from its position on.
        """
        if position < len(self.arguments) and not self.arguments[position].keyword_only:
            return self.arguments[position]
        last = next((each for each in reversed(self.arguments) if not each.keyword_only), None)
        return last if last is not None and last.variadic else None

    def named(self, keyword: str) -> OperatorArgument | None:
        """The argument that goes by a name; `input`, `self` and `x` are all names of the first one."""
        known = next((argument for argument in self.arguments if argument.name == keyword), None)
        if known is None and self.arguments and keyword in _NAMES_OF_THE_FIRST:
            return self.arguments[0]
        return known

    def must_match(self, argument: OperatorArgument) -> bool:
        """Whether a tensor given for this argument has to be on the common device of the operands."""
        tensors = argument.kind in (ArgumentKind.TENSOR, ArgumentKind.TENSORS)
        matching = self.rule in (DeviceRule.SAME, DeviceRule.SAME_OR_0_DIM_HOST)
        return matching and tensors and not (argument.host or argument.index or argument.anywhere)

    def takes_zero_dim_host(self, argument: OperatorArgument) -> bool:
        """Whether a 0-dim host tensor may stand for this argument while the others are on a device."""
        if argument.zero_dim_host is not None:
            return argument.zero_dim_host
        if argument.anywhere or argument.zero_dim_anywhere or argument.index or argument.host:
            return True
        return self.rule is DeviceRule.SAME_OR_0_DIM_HOST and not self.writes_into(argument)

    def writes_into(self, argument: OperatorArgument) -> bool:
        """Whether the operator writes into this argument: `out`, and the first of an in-place operator."""
        return argument.name == "out" or (
            self.result.kind is ResultKind.SELF and argument.name == self.arguments[0].name
        )

    @property
    def syncs(self) -> tuple[Sync, ...]:
        """All conditions under which the host waits; empty if it never does."""
        first = () if self.sync.when is SyncWhen.NEVER else (self.sync,)
        return (*first, *self.also) if self.also else first
