"""Replaced functions that give way while Dynamo looks at torch's names.

It tells functions by identity: in tables that it makes when it is imported and when it first compiles, and at
each compiled call by what the names stood for when the code was compiled.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from types import ModuleType

from devlint.instrumentation.patches import Patches

_MISSING = object()


@dataclass(slots=True)
class _Replaced:
    owner: object
    name: str
    before: object
    value: object

    def put(self, old: object, new: object) -> None:
        """Replace what the owner has itself. What somebody else has set meanwhile stays."""
        names = vars(self.owner)
        if names.get(self.name, _MISSING) is not old:
            return
        if new is _MISSING:
            delattr(self.owner, self.name)
        elif isinstance(self.owner, ModuleType):
            names[self.name] = new  # compiled code calls often, and this takes a third of `setattr`
        else:
            setattr(self.owner, self.name, new)


class Retractable(Patches):
    """Changes that can be taken back for a while, for all threads, and be made again.

    Those of classes stay for `retract`: changing a class makes Python forget what it has looked up in it, and
    in all classes below. Compiled code is not guarded by them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._in_modules: list[_Replaced] = []
        self._in_classes: list[_Replaced] = []
        self._away = 0
        self._lock = Lock()

    def replace(self, owner: object, name: str, value: object) -> None:
        """Set an attribute."""
        replaced = _Replaced(owner, name, vars(owner).get(name, _MISSING), value)
        replaced.put(replaced.before, value)
        (self._in_modules if isinstance(owner, ModuleType) else self._in_classes).append(replaced)

    def undo(self) -> None:
        """Put everything back."""
        with self._lock:
            if not self._away:
                _put_back(self._in_modules)
            _put_back(self._in_classes)
            self._in_modules.clear()
            self._in_classes.clear()
        super().undo()

    def retract(self) -> None:
        """Take back the changes of modules until `restore`, or for as long as others want it."""
        with self._lock:
            if not self._away:
                _put_back(self._in_modules)
            self._away += 1

    def restore(self) -> None:
        """Make the changes again, if nobody else wants them away."""
        with self._lock:
            self._away -= 1
            if not self._away:
                _put_again(self._in_modules)

    @contextmanager
    def retracted(self) -> Iterator[None]:
        """Have all changes away for a while."""
        self.retract()
        _put_back(self._in_classes)
        try:
            yield
        finally:
            _put_again(self._in_classes)
            self.restore()


def _put_back(changes: list[_Replaced]) -> None:
    for replaced in reversed(changes):
        replaced.put(replaced.value, replaced.before)


def _put_again(changes: list[_Replaced]) -> None:
    for replaced in changes:
        replaced.put(replaced.before, replaced.value)
