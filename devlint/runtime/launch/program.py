"""Programs that can be run: a script, a directory or zip archive with a `__main__`, a module.

The order of steps, and the contents of `sys` and `__main__`, are those of CPython's `Modules/main.c`.
"""

from __future__ import annotations

import builtins
import os
import pkgutil
import runpy
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.machinery import SourceFileLoader, SourcelessFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Protocol

from devlint.runtime.places.frames import leave_out


class ProgramError(Exception):
    """There is no program of the given name. The message is one line."""


class LaunchedProgram(Protocol):
    """A program with its arguments."""

    def prepare(self) -> None:
        """Set `sys.argv`, `sys.path[0]` and a new, empty `__main__`.

        Raises: ProgramError: if there is no such program.
        """
        ...

    def load(self) -> Callable[[], object]:
        """Read it. What comes back runs it; whatever it raises, that raises, also if it could not be read."""
        ...


def find_program(path: str, arguments: tuple[str, ...]) -> LaunchedProgram:
    """The program at a path.

    Raises: ProgramError: if there is no file, or it cannot be run.
    """
    if not os.path.exists(path):  # noqa: PTH110  # `sys.argv` wants the path as it was written
        raise ProgramError(f"{path}: no such file or directory")
    if not os.access(path, os.R_OK):
        raise ProgramError(f"{path}: cannot be read")
    importer = pkgutil.get_importer(path)
    if importer is None:
        return Script(path, arguments)
    if importer.find_spec("__main__") is None:
        raise ProgramError(f"{path}: contains no `__main__.py`")
    return Archive(path, arguments)


@dataclass(frozen=True, slots=True)
class Script:
    """A source file, or a compiled one (`.pyc`)."""

    path: str
    arguments: tuple[str, ...]

    def prepare(self) -> None:
        """Put the script's directory first in `sys.path`, after following symbolic links."""
        prepare((self.path, *self.arguments), os.path.dirname(os.path.realpath(self.path)))  # noqa: PTH120

    def load(self) -> Callable[[], object]:
        path = os.path.abspath(self.path)  # noqa: PTH100  # keeps links, as CPython does
        try:
            code, loader = _load(path)
        except _UNREADABLE as error:
            return partial(_fail, error)
        namespace = vars(sys.modules["__main__"])
        namespace.update(__file__=path, __cached__=None, __loader__=loader)
        return partial(exec, code, namespace)


@dataclass(frozen=True, slots=True)
class Archive:
    """A directory or a zip archive."""

    path: str
    arguments: tuple[str, ...]

    def prepare(self) -> None:
        """Put the container itself first in `sys.path`, whatever the interpreter's flags are."""
        prepare((self.path, *self.arguments), None)
        sys.path.insert(0, os.path.abspath(self.path))  # noqa: PTH100

    def load(self) -> Callable[[], object]:
        # The interpreter calls it, too, so that behavior and messages are the same.
        return partial(runpy._run_module_as_main, "__main__", False)  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Module:
    """A module or package by its name, as after `python -m`."""

    name: str
    arguments: tuple[str, ...]

    def prepare(self) -> None:
        """Put the working directory first in `sys.path`."""
        prepare(("-m", *self.arguments), os.getcwd())  # noqa: PTH109
        if not _is_known(self.name.partition(".")[0]):
            raise ProgramError(f"there is no module `{self.name}`")

    def load(self) -> Callable[[], object]:
        return partial(runpy._run_module_as_main, self.name)  # type: ignore[attr-defined]


def prepare(argv: tuple[str, ...], first: str | None) -> None:
    """Set `sys.argv`, an empty `__main__`, and the first entry of `sys.path`, if there is one."""
    leave_out(getattr(sys.modules["__main__"], "__file__", None) or "")
    main = ModuleType("__main__")
    if "__annotations__" in vars(sys.modules["__main__"]):  # up to Python 3.13, before `__builtins__`
        vars(main)["__annotations__"] = {}
    vars(main)["__builtins__"] = builtins
    sys.modules["__main__"] = main
    sys.argv = list(argv)
    if _leads_with_program():
        # The first entry belongs to the command that started devlint.
        sys.path[:1] = [] if first is None else [first]


def _leads_with_program() -> bool:
    """Whether the interpreter puts the program's directory first in `sys.path`."""
    return not (sys.flags.isolated or getattr(sys.flags, "safe_path", False))


def _is_known(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


_UNREADABLE = (
    EOFError,
    ImportError,
    MemoryError,
    OSError,
    OverflowError,
    RecursionError,
    SyntaxError,
    ValueError,
)
"""What a file raises that is no text of Python, or no compiled one."""


def _fail(error: Exception) -> None:
    raise error


def _load(path: str) -> tuple[CodeType, SourceFileLoader | SourcelessFileLoader]:
    if path.endswith(".pyc"):
        compiled = SourcelessFileLoader("__main__", path)
        code = compiled.get_code("__main__")
        assert code is not None  # it raises an error instead of returning None
        return code, compiled
    source = Path(path).read_bytes()
    return compile(source, path, "exec", dont_inherit=True), SourceFileLoader("__main__", path)
