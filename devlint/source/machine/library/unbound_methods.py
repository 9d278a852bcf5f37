"""Methods of Python's own types that are called on the type: `str.lower(name)` for `name.lower()`."""

from __future__ import annotations

from devlint.source.machine.domain.values import NONE, TOP, Value
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.library.methods import call_method
from devlint.source.machine.modules.state import module_of

_MADE_BY_THE_TYPE = frozenset({"fromkeys", "maketrans"})
"""Methods that are not called on an object."""


def _method(name: str) -> Handler:
    def handler(machine: Machine, call: Call) -> Value:
        if not call.passed or call.passed[0].stars:
            return TOP
        return call_method(machine, call.passed[0].value, name, call.passing(call.passed[1:]))

    return handler


def _set_plainly(machine: Machine, call: Call) -> Value:
    """`object.__setattr__(held, name, value)`, which registers nothing with a module: what it hides from one
    stays unknown."""
    if call.passed and module_of(call.passed[0].value) is not None:
        return NONE
    return _method("__setattr__")(machine, call)


UNBOUND_METHODS = {
    f"builtins.{of.__name__}.{name}": _method(name)
    for of in (dict, list, set, str, tuple)
    for name in vars(of)
    if not name.startswith("_") and name not in _MADE_BY_THE_TYPE
} | {"builtins.object.__setattr__": _set_plainly}
