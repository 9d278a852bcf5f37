"""Replaced functions that give way while Dynamo looks at torch's names.

It tells functions by identity: in tables that it makes when it is imported and when it first compiles, and at
each compiled call by what the names stood for when the code was compiled.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from devlint.runtime.patches import Patches

_MISSING = object()


@dataclass(slots=True)
class _Replaced:
    owner: object
    name: str
    before: object
    value: object

    def put(self, old: object, new: object) -> None:
        """Replace what the owner has itself. What somebody else has set meanwhile stays."""
        if vars(self.owner).get(self.name, _MISSING) is not old:
            return
        if new is _MISSING:
            delattr(self.owner, self.name)
        else:
            setattr(self.owner, self.name, new)


class Retractable(Patches):
    """Changes that can be taken back for a while, for all threads, and be made again."""

    def __init__(self) -> None:
        super().__init__()
        self._replaced: list[_Replaced] = []
        self._away = 0
        self._lock = threading.Lock()

    def replace(self, owner: object, name: str, value: object) -> None:
        """Set an attribute."""
        replaced = _Replaced(owner, name, vars(owner).get(name, _MISSING), value)
        replaced.put(replaced.before, value)
        self._replaced.append(replaced)

    def undo(self) -> None:
        """Put everything back."""
        with self._lock:
            if not self._away:
                self._put_back()
            self._replaced.clear()
        super().undo()

    def retract(self) -> None:
        """Take the changes back until `restore`, or for as long as others want it."""
        with self._lock:
            if not self._away:
                self._put_back()
            self._away += 1

    def restore(self) -> None:
        """Make the changes again, if nobody else wants them away."""
        with self._lock:
            self._away -= 1
            if not self._away:
                for replaced in self._replaced:
                    replaced.put(replaced.before, replaced.value)

    @contextmanager
    def retracted(self) -> Iterator[None]:
        """Have the changes away for a while."""
        self.retract()
        try:
            yield
        finally:
            self.restore()

    def _put_back(self) -> None:
        for replaced in reversed(self._replaced):
            replaced.put(replaced.value, replaced.before)
