"""One argument of an operation."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from devlint.model.device import UNKNOWN, Device, Symbol, SymbolKind, is_accelerator
from devlint.model.origin import NOWHERE, Origin, Step
from devlint.model.site import SiteId
from devlint.model.value import value


class Kind(Enum):
    """What a value is, as far as devices are concerned."""

    TENSOR = "tensor"
    MODULE = "module"
    DEVICE = "device"
    GENERATOR = "generator"
    ARRAY = "array"
    SCALAR = "scalar"
    CONTAINER = "container"
    UNKNOWN = "unknown"


class Presumed(Enum):
    """What is likely or possible, and not known."""

    DIMENSIONS = "has dimensions"
    PERHAPS = "may have dimensions as well as none"


Rank0: TypeAlias = bool | Presumed | None
"""Whether a tensor has no dimensions. None where that is not known."""


@value
class Operand:
    """One argument of an operation: its name for users, its device, and its origin."""

    path: str
    """The text or argument path a user would recognise: `x`, `self.mask`, `weight`, `args[1]['ids']`."""
    site: SiteId
    device: Device = UNKNOWN
    kind: Kind = Kind.TENSOR
    origin: Origin = NOWHERE
    parameter: str = ""
    """The operator's own name for it: `self`, `other`, `mat2`, `lengths`."""
    rank0: Rank0 = None
    boolean: bool | None = None
    """Whether its dtype is bool; None where that is not known."""
    attribute: str = ""
    """The attribute of `self` that holds it (`mask` for `self.mask`), if it is a module's state."""
    brought_down: bool = False
    """Whether the program copies other values of the same source to the host, or reads their device."""
    from_other_activation: bool = False
    """Whether one activation of a function created it and another one uses it. Then the repair is where it is
    used or passed, instead of where it was created."""
    anchor: str = ""
    """An expression that gives its device anywhere in the enclosing function (`x.device`), if there is
    one."""
    mixed_at: SiteId | None = None
    """The operation on operands of several devices that decides where it lies, if there is one."""

    @property
    def is_off_host(self) -> bool:
        """Whether the program itself put it on a device other than the host.

        An accelerator counts, and a name that holds a device. The unknown device of an argument only counts
        if the program moved the operand there, or created it there: `lengths` alone may be on the host, but
        `lengths.to(x.device)` is on the device of `x`.
        """
        device = self.device
        if is_accelerator(device):
            return True
        if not isinstance(device, Symbol):
            return False
        return device.kind is SymbolKind.DEVICE or any(
            step.step in (Step.MADE, Step.MOVED) and step.device == device and not step.implicit
            for step in self.origin.steps
        )
