"""A callback for the program's import of a module, without importing it earlier.

Environment variables that a program sets before it imports torch must be effective, so devlint waits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from devlint.instrumentation.hooks import Failed, entered, hooked, run_safely


class ImportHook(MetaPathFinder):
    """Calls back once, after a module has been imported, in the importing thread.

    `during` creates a context for the import. `failed` is called with errors of devlint itself, which the
    importer does not get.
    """

    def __init__(
        self,
        name: str,
        then: Callable[[], None],
        failed: Failed,
        during: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self._name = name
        self._then = then
        self._failed = failed
        self._during = during

    def wait(self) -> None:
        """Call back after the import, or now if the module is already imported."""
        if self._name in sys.modules:
            self._then()
        else:
            sys.meta_path.insert(0, self)

    def stop(self) -> None:
        """Stop waiting."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of the other finders, with a loader that calls back."""
        if name != self._name:
            return None
        for finder in list(sys.meta_path):
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                run_safely(partial(self._follow, spec), self._failed)
                return spec
        return None

    def _follow(self, spec: ModuleSpec) -> None:
        if spec.loader is not None:
            spec.loader = _Following(spec.loader, self._begin, self._failed)

    def _begin(self, module: ModuleType, loader: Loader) -> Callable[..., None]:
        """Find the loader of a module that is about to be executed, as without devlint."""
        module.__loader__ = loader
        if module.__spec__ is not None:
            module.__spec__.loader = loader
        leave = entered(self._during())

        def end(kind: object, *rest: object) -> None:
            leave(kind, *rest)
            if kind is None:
                self.stop()
                self._then()

        return end


class _Following(Loader):
    """Delegates to another loader, and runs hooks around the execution of the module."""

    def __init__(
        self, loader: Loader, begin: Callable[[ModuleType, Loader], Callable[..., None]], failed: Failed
    ) -> None:
        self.create_module = loader.create_module  # type: ignore[method-assign]
        execute = hooked(lambda module: begin(module, loader), failed)
        self.exec_module = execute(loader.exec_module)  # type: ignore[method-assign]
