"""Running CPU tests as if their author had put everything on a device. Tensors that tests create are on the
device; those of the library under test are where the library puts them. Only the library is judged."""

from devlint.runtime.lift.lift import Lift
from devlint.runtime.lift.owners import Owner, Owners

__all__ = ["Lift", "Owner", "Owners"]
