"""Changes to other modules that are undone on the way out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

_MISSING = object()


class Removable(Protocol):
    """What torch gives for a hook."""

    def remove(self) -> None:
        """Take the hook out."""


class Patches:
    """Replaced attributes and registered hooks, with the way back. The last change is undone first."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def replace(self, owner: object, name: str, value: object) -> None:
        """Set an attribute. Later what the owner had itself comes back; what it inherited is inherited."""
        before = vars(owner).get(name, _MISSING)
        setattr(owner, name, value)

        def undo() -> None:
            if before is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

        self._undo.append(undo)

    def replace_item(self, owner: dict[Any, Any], key: object, value: object) -> None:
        """Set an item, and put back what was there, if anything was."""
        before = owner.get(key, _MISSING)
        owner[key] = value

        def undo() -> None:
            if before is _MISSING:
                owner.pop(key, None)
            else:
                owner[key] = before

        self._undo.append(undo)

    def wrap(self, owner: Any, name: str, around: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Replace a function by what `around` makes of it; nothing where this torch has no such function."""
        function = getattr(owner, name, None)
        if function is not None:
            self.replace(owner, name, around(function))

    def removable(self, hook: Removable) -> None:
        """Remember to take a hook out."""
        self._undo.append(hook.remove)

    def later(self, undo: Callable[[], None]) -> None:
        """Remember to undo something that was done by other means."""
        self._undo.append(undo)

    def undo(self) -> None:
        """Put everything back, also if one thing cannot be.

        Raises:
            Exception: what came of the first thing that cannot.
        """
        failures: list[Exception] = []
        while self._undo:
            try:
                self._undo.pop()()
            except Exception as error:  # noqa: PERF203 - the others are to be put back, too
                failures.append(error)
        if failures:
            raise failures[0]
