"""Reversible changes to other modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

_MISSING = object()


class Removable(Protocol):
    """The handle of a hook of torch."""

    def remove(self) -> None:
        """Take the hook out."""


class Patches:
    """Replaced attributes and registered hooks, which `undo` restores, the last change first."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def replace(self, owner: object, name: str, value: object) -> None:
        """Set an attribute. `undo` restores the owner's own attribute, or the inherited one."""
        before = vars(owner).get(name, _MISSING)
        setattr(owner, name, value)

        def undo() -> None:
            if before is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

        self._undo.append(undo)

    def replace_item(self, owner: dict[Any, Any], key: object, value: object) -> None:
        """Set an item. `undo` restores the previous item, or removes it."""
        before = owner.get(key, _MISSING)
        owner[key] = value

        def undo() -> None:
            if before is _MISSING:
                owner.pop(key, None)
            else:
                owner[key] = before

        self._undo.append(undo)

    def wrap(self, owner: Any, name: str, around: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Replace a function by the result of `around`; no effect if this torch has no such function."""
        function = getattr(owner, name, None)
        if function is not None:
            self.replace(owner, name, around(function))

    def removable(self, hook: Removable) -> None:
        """Remove a hook on `undo`."""
        self._undo.append(hook.remove)

    def later(self, undo: Callable[[], None]) -> None:
        """Call a function on `undo`."""
        self._undo.append(undo)

    def undo(self) -> None:
        """Restore everything, even if one change cannot be undone.

        Raises:
            Exception: the error of the first change that cannot be undone.
        """
        failures: list[Exception] = []
        while self._undo:
            try:
                self._undo.pop()()
            except Exception as error:  # noqa: PERF203 - the others are to be put back, too
                failures.append(error)
        if failures:
            raise failures[0]
