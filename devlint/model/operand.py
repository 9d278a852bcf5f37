"""One argument of an operation."""

from __future__ import annotations

from enum import Enum

from devlint.model.device import UNKNOWN, Device
from devlint.model.origin import NOWHERE, Origin
from devlint.model.site import SiteId
from devlint.model.value import value


class Kind(Enum):
    """What a value is, as far as devices are concerned."""

    TENSOR = "tensor"
    MODULE = "module"
    OPTIMIZER = "optimizer"
    LOADER = "data loader"
    DEVICE = "device"
    GENERATOR = "generator"
    ARRAY = "array"
    SCALAR = "scalar"
    CONTAINER = "container"
    UNKNOWN = "unknown"


@value
class Operand:
    """One argument of an operation: what a user would call it, where it lies, and how it came to lie
    there."""

    path: str
    """The text or argument path a user would recognise: `x`, `self.mask`, `weight`, `args[1]['ids']`."""
    site: SiteId
    device: Device = UNKNOWN
    kind: Kind = Kind.TENSOR
    origin: Origin = NOWHERE
    parameter: str = ""
    """The operator's own name for it: `self`, `other`, `mat2`, `lengths`."""
    rank0: bool | None = None
    """Whether it has no dimensions; None where that is not known."""
    boolean: bool | None = None
    """Whether its dtype is bool; None where that is not known."""
    attribute: str = ""
    """The attribute of `self` that holds it (`mask` for `self.mask`), if it is a module's state."""
    brought_down: bool = False
    """Whether the program brings other values from the same place down to the host, or asks for the place."""
    anchor: str = ""
    """An expression that gives its device anywhere in the enclosing function (`x.device`), if there is
    one."""
