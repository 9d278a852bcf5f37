"""CPU tests run as if their author had put everything on a device: what tests make lies there, and what the
library under test makes lies where the library puts it. Only the library is judged."""

from devlint.runtime.lift.lift import Lift
from devlint.runtime.lift.owners import Owner, Owners

__all__ = ["Lift", "Owner", "Owners"]
