"""Events: the observations that rules judge."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from devlint.model.confidence import Confidence
from devlint.model.device import Device
from devlint.model.operand import Operand
from devlint.model.site import SiteId
from devlint.model.value import value


class HotPath(Enum):
    """Why a site runs many times."""

    TRAINING_LOOP = "the training loop"
    LOADER_LOOP = "a loop over a data loader"
    GENERATION_LOOP = "a generation loop"
    FORWARD = "a module's forward"
    STEP = "a training step"
    RECURRING = "repeated code"
    """Many times at one place, outside of loops of a known kind: observed in a run, or the `step` of a
    sampler, an environment or a similar class, which gets tensors."""
    CALLED = "code that callers may repeat"
    """Once a call of a function that nothing at hand calls: whether callers repeat it is not known."""


class Cause(Enum):
    """Why the host waits for the device."""

    HOST_READ = "the host reads a value"
    BRANCH = "the host branches on a value"
    FORMAT = "the host formats a value"
    DYNAMIC_SHAPE = "the shape of the result depends on values"
    HOST_COPY = "values are copied to the host"
    EXPLICIT = "the program asks for it"
    ELEMENTWISE = "the host walks over the elements"
    HIDDEN_READ = "a device scalar is passed as a Python number"
    UPLOAD = "values are copied from pageable host memory"
    BACKWARD = "backward reads a value"


class RegistrationKind(Enum):
    """How a module registers an attribute."""

    PARAMETER = "parameter"
    BUFFER = "buffer"
    PLAIN_TENSOR = "plain tensor"
    PLAIN_CONTAINER = "plain container"
    """Submodules in a list, tuple or dict that `.to()` and `.parameters()` do not see."""
    BUILT_IN_FORWARD = "built in forward"


class SettingKind(Enum):
    """The subject of a `Setting`. The docstrings describe its `value`."""

    HARD_CODED = "hard-coded device"
    """The device type that the text fixes, `cuda:0`."""
    BESIDE_FALLBACK = "hard-coded device beside a fallback"
    """The device type that the text fixes; `related` is a test after which the program goes on without."""
    DEVICE_LITERAL = "device literal"
    """A string used as a device."""
    ORDINAL = "ordinal"
    """A device with an ordinal; `detail` holds how many devices are visible, where the program says so."""
    DEVICE_COMPARISON = "device comparison"
    """The string that a `torch.device` is compared with, `cuda`; `detail` holds the text of the device's
    expression, `x.device`, and `related` is that expression's site."""
    ORDINAL_COMPARISON = "device with an ordinal compared with one without"
    """The text of the device without an ordinal, `torch.device("cuda")`; `detail` holds the text of the one
    that certainly has one, `x.device`, and `related` is its site."""
    LOAD = "load without map_location"
    """The call, `torch.load`; `detail` is `load_state_dict` where that copies what is loaded to where it is
    wanted."""
    VISIBLE_DEVICES_TOO_LATE = "CUDA_VISIBLE_DEVICES set too late"
    """The value given; `detail` says what came before it."""
    LAUNCH_BLOCKING = "CUDA_LAUNCH_BLOCKING left on"
    """The value given."""
    LEGACY_TYPE = "legacy tensor type"
    """The canonical name, `torch.cuda.FloatTensor`."""
    UNSYNCHRONIZED_TIMING = "timing without synchronization"
    """The clock, `time.time`; `detail` names the device work that it misses."""
    RESOLVED_AT_IMPORT = "device resolved at import or in a default argument"
    """The expression."""
    IMPLICIT_DEVICE = "factory without a device in a function that has one"
    """The factory's canonical name; `detail` holds the text of the device at hand, where there is one."""
    IDLE_DEVICE = "device that nothing is put on"
    """The name of the parameter or variable; `detail` holds the function's, for a parameter."""
    NCCL_WITHOUT_DEVICE = "NCCL group without a current device"
    """The call."""
    HOST_TENSOR_IN_COLLECTIVE = "collective over NCCL of a tensor on the host"
    """The canonical name of the collective; `detail` holds the text of the tensor's expression, and `related`
    is the site that created the tensor."""
    ACCELERATOR_IN_WORKER = "accelerator in a worker process"
    """The device that is asked for, `cuda`; `detail` says what the worker is: `the collate_fn of …`."""
    PINNED = "memory pinned without an accelerator"
    """What pins it, `torch.utils.data.DataLoader`, in a program that runs without an accelerator too;
    `detail` holds the condition, `device.type != "cpu"`, where there is one that holds on MPS."""


Subject: TypeAlias = SettingKind | RegistrationKind
"""The subject of a setting or a registration. An observer may omit those that are not requested."""
EVERY_SUBJECT: frozenset[Subject] = frozenset((*SettingKind, *RegistrationKind))


@value
class Event:
    """What all events have: the site, the hot path, and the confidence of the observer."""

    site: SiteId
    hot: HotPath | None
    confidence: Confidence


@value
class Operation(Event):
    """An operator and its operands.

    `operator` is a canonical name: `torch.add`, `torch.Tensor.__add__`, `torch.Tensor.__getitem__`, or
    `torch.nn.Module.__call__` for a call of a module, whose first operand is the module.
    """

    operator: str
    operands: tuple[Operand, ...]
    conditional: bool = False
    """Whether a function may end without it, because it is in a branch or a loop, or after one that
    returns."""
    within: str = ""
    """The function that contains the operator, if it is in another file."""


@value
class Transfer(Event):
    """A copy between the host and a device, or between devices."""

    operator: str
    operand: Operand
    source: Device
    target: Device
    explicit: bool = True
    """Whether the program requested it (`.to()`); otherwise it is implicit in an operator."""
    non_blocking: bool = False
    pinned: bool | None = None
    bytes: int | None = None
    seconds: float | None = None
    """How long the host waited for it; None if not measured."""
    loop_invariant: bool = False
    """Whether it is in a loop that does not change its operand."""
    repeated: bool = False
    """Whether the same values were copied to the same device before: in a run, recognized by their memory; in
    source code, if each call of a module copies a tensor that the module stores."""
    optimized: bool = False
    """Whether the operand is a parameter, which an optimizer may change; only known from source code."""
    made_inline: bool = False
    """Whether the copied expression creates the values, possibly with views of them, or names what this turn
    of a loop has created; only known from source code."""
    used_before_wait: SiteId | None = None
    """For an asynchronous copy to the host: where the host first reads the result without a synchronization
    in between."""


@value
class Synchronization(Event):
    """The host waits for the device."""

    operator: str
    cause: Cause
    operand: Operand | None
    seconds: float | None = None
    """How long the host waited; None if not measured."""
    waited_already: bool = False
    """Whether the host has just waited for the same value, so that this wait costs almost nothing."""


@value
class Move(Event):
    """`.to()`, `.cuda()`, `.cpu()` and the like on a tensor or a module."""

    operator: str
    operand: Operand
    source: Device
    target: Device
    kept: bool
    """Whether the result is used. A module moves in place; the move of a tensor has no effect without its
    result."""
    copy: bool = False
    """`copy=True`: a copy even if the device stays the same."""
    changes_dtype: bool = False
    """Whether it also converts, or may convert, dtype or memory format: `.to(d, dtype)`, `.to(other)`."""
    target_site: SiteId | None = None
    """The expression that names the target: `d` in `.to(d)`; None in `.cuda()` and `.to(other)`."""
    statement: SiteId | None = None
    """The whole statement, if the move is one."""
    made_inline: bool = False
    """Whether the moved expression creates the operand: `(torch.rand(n) > 0.5).to(device)`; in source code,
    also whether an earlier statement of the same turn of a loop does."""
    assignable: bool = False
    """Whether the result can be assigned to `operand.path` there: an attribute or a local name, but no
    global, no loop target (its container would keep the old tensor), and no registered parameter."""
    affects: tuple[SiteId, ...] = ()
    """The operations that mix devices because the result of the move is not used."""

    @property
    def is_idle(self) -> bool:
        """Whether source and target are one device, so that it moves nothing."""
        return self.source == self.target


@value
class Registration(Event):
    """How a module registers one attribute."""

    module: str
    attribute: str
    kind: RegistrationKind
    operand: Operand
    statement: SiteId | None = None


@value
class Setting(Event):
    """A setting, comparison or load of the program that decides about devices."""

    kind: SettingKind
    value: str
    detail: str = ""
    related: SiteId | None = None
