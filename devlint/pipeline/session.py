"""What is kept from one file of a run to the next: task, cache, and what the files know of each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devlint.pipeline.task import Task
from devlint.project.modules import Modules

if TYPE_CHECKING:
    from pathlib import Path

    from devlint.project.cache import Cache
    from devlint.source.library import Library, Place


class Session:
    """One run, or the part of it that one process has."""

    def __init__(self, task: Task, cache: Cache | None = None) -> None:
        self.task = task
        self.cache = cache
        self.modules = Modules()
        self._library: Library | None = None

    def place_of(self, path: Path) -> Callable[[], Place]:
        """The way to a file's place among the others, for when it turns out to matter."""
        return lambda: self._opened().place(str(path))

    def dependencies(self, path: Path) -> frozenset[str]:
        """The paths of the other files, there or not, on which may depend what was just found in a file."""
        return frozenset() if self._library is None else self._library.dependencies(str(path))

    def done(self, path: Path) -> None:
        """Forget what a file was, if no other one needs it."""
        if self._library is not None:
            self._library.release(str(path))

    def changed(self) -> None:
        """Forget what files were, now that one is not what it was."""
        if self._library is not None:
            self._library.clear()

    def _opened(self) -> Library:
        if self._library is None:
            # The interpreter takes longer to import than most files take to check.
            from devlint.source.library import Library  # noqa: PLC0415

            self._library = Library(self.modules)
        return self._library
