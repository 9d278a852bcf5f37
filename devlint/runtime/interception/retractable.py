"""Patches that are undone while Dynamo looks up torch's functions.

Dynamo compares functions by identity: with tables that it builds on import and on its first compilation, and
in each compiled call with the objects at compile time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock
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
        """Replace the owner's own attribute, unless other code has set it meanwhile."""
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
    """Patches that can be undone for a while, for all threads, and applied again.

    `retract` keeps patches of classes, because changing a class invalidates Python's caches for it and its
    subclasses. Compiled code has no guards on them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._in_modules: list[_Replaced] = []
        self._in_classes: list[_Replaced] = []
        self._away = 0
        self._lock = RLock()

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
        """Undo the patches of modules until the last `restore`."""
        with self._lock:
            if not self._away:
                _put_back(self._in_modules)
            self._away += 1

    def restore(self) -> None:
        """Apply the patches again, unless there is another `retract`."""
        with self._lock:
            self._away -= 1
            if not self._away:
                _put_again(self._in_modules)

    @contextmanager
    def retracted(self) -> Iterator[None]:
        """Undo the patches of modules in a block."""
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
