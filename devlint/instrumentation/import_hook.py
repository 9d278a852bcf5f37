"""Knowing at once that the program has imported a module, without importing it before the program does.

What a program sets in its environment before it imports torch must reach torch, so devlint waits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class ImportHook(MetaPathFinder):
    """Calls back as soon as a module has been imported, in the thread that imports it, once.

    `during` makes what is entered while it is being imported.
    """

    def __init__(
        self,
        name: str,
        then: Callable[[], None],
        during: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self._name = name
        self._then = then
        self._during = during

    def wait(self) -> None:
        """Call back at the import, or now if it has been imported already."""
        if self._name in sys.modules:
            self._then()
        else:
            sys.meta_path.insert(0, self)

    def stop(self) -> None:
        """Wait no longer."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What the other finders find, with a loader that calls back."""
        if name != self._name:
            return None
        for finder in [each for each in sys.meta_path if each is not self]:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Following(spec.loader, self._during, self._arrived)
                return spec
        return None

    def _arrived(self) -> None:
        self.stop()
        self._then()


class _Following(Loader):
    """Loads as another loader does, gives the module to it, and says when the module is there."""

    def __init__(
        self, loader: Loader, during: Callable[[], AbstractContextManager[object]], then: Callable[[], None]
    ) -> None:
        self._loader = loader
        self._during = during
        self._then = then

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The module, where the loader makes it itself."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module, which is to find its loader as it would be without devlint."""
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        with self._during():
            self._loader.exec_module(module)
        self._then()
