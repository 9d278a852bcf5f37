"""Inherited methods of a class, and the methods of the class that they call."""

from __future__ import annotations

from devlint.source.machine.domain.values import Reference
from devlint.source.machine.heap.classes import class_lookup
from devlint.source.machine.heap.files import Class, Function
from devlint.source.machine.interprocedural.framework_steps import STEP_METHODS
from devlint.source.machine.interprocedural.references import calls_of_object

FIRST_HOOKS = ("on_fit_start", "on_train_start", "on_train_epoch_start")
"""Methods that a training framework calls before the first batch, when the module is on its device
(Lightning, `Trainer._run_stage`, `_FitLoop.advance`)."""
CALLED_BY_FRAMEWORKS = STEP_METHODS | {"forward"}
"""Methods that torch or a training framework calls."""
WITHOUT_OBJECT = frozenset({"staticmethod", "classmethod", "abstract"})
"""Marks of functions of a class that are not attributes read from an object."""


def inherited(made: Class, name: str) -> Function | None:
    """An inherited method of a class that the project defines."""
    held, owner = class_lookup(made, name)
    target = held.target if isinstance(held, Reference) else None
    if owner is made or not isinstance(target, Function):
        return None
    return target if target.marks.isdisjoint(WITHOUT_OBJECT) else None


def inherited_names(made: Class) -> list[str]:
    """The names of the inherited public methods that the project defines, except `forward` and steps."""
    bases = [each for each in made.order if isinstance(each, Class) and each is not made]
    names = {name for base in bases for name in map(str, base.cells) if _is_public(name)}
    return sorted(names - CALLED_BY_FRAMEWORKS)


def _is_public(name: str) -> bool:
    return not name.startswith("_") or name == "__call__"


def asks_for(made: Class, name: str, methods: set[str]) -> bool:
    """Whether an inherited method calls one of these methods of its own object."""
    function = inherited(made, name)
    return function is not None and not methods.isdisjoint(calls_of_object(function.node))
