"""What can be run: a script, a directory or zip archive with a `__main__`, a module.

The order of things, and what stands in `sys` and in `__main__`, are those of CPython's `Modules/main.c`.
"""

from __future__ import annotations

import builtins
import os
import pkgutil
import runpy
import sys
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader, SourcelessFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Protocol

from devlint.runtime.places.frames import leave_out


class ProgramError(Exception):
    """There is nothing to run under the name that was given. The message is one line."""


class LaunchedProgram(Protocol):
    """A program with its arguments."""

    def prepare(self) -> None:
        """Set `sys.argv`, `sys.path[0]` and a new, empty `__main__`.

        Raises:
            ProgramError: if it is only now seen that there is no such program.
        """
        ...

    def execute(self) -> None:
        """Run it. Whatever it raises, it raises."""
        ...


def find_program(path: str, arguments: tuple[str, ...]) -> LaunchedProgram:
    """The program that a path leads to.

    Raises:
        ProgramError: if there is no file, or none that can be run.
    """
    if not os.path.exists(path):  # noqa: PTH110  # `sys.argv` wants the path as it was written
        raise ProgramError(f"{path}: no such file or directory")
    if not os.access(path, os.R_OK):
        raise ProgramError(f"{path}: cannot be read")
    importer = pkgutil.get_importer(path)
    if importer is None:
        return Script(path, arguments)
    if importer.find_spec("__main__") is None:
        raise ProgramError(f"{path}: there is no `__main__.py` in it")
    return Archive(path, arguments)


@dataclass(frozen=True, slots=True)
class Script:
    """A file of source text, or one that is compiled already (`.pyc`)."""

    path: str
    arguments: tuple[str, ...]

    def prepare(self) -> None:
        """The script's directory comes first in `sys.path`; symbolic links are followed."""
        prepare((self.path, *self.arguments), os.path.dirname(os.path.realpath(self.path)))  # noqa: PTH120

    def execute(self) -> None:
        path = os.path.abspath(self.path)  # noqa: PTH100  # keeps links, as CPython does
        code, loader = _load(path)
        namespace = vars(sys.modules["__main__"])
        namespace.update(__file__=path, __cached__=None, __loader__=loader)
        exec(code, namespace)


@dataclass(frozen=True, slots=True)
class Archive:
    """A directory or a zip archive."""

    path: str
    arguments: tuple[str, ...]

    def prepare(self) -> None:
        """The container itself comes first in `sys.path`, whatever the interpreter's flags say."""
        prepare((self.path, *self.arguments), None)
        sys.path.insert(0, os.path.abspath(self.path))  # noqa: PTH100

    def execute(self) -> None:
        # What the interpreter itself calls, so that it says and does the same.
        runpy._run_module_as_main("__main__", False)  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Module:
    """A module or package by its name, as behind `python -m`."""

    name: str
    arguments: tuple[str, ...]

    def prepare(self) -> None:
        """The working directory comes first in `sys.path`."""
        prepare(("-m", *self.arguments), os.getcwd())  # noqa: PTH109
        if not _is_known(self.name.partition(".")[0]):
            raise ProgramError(f"there is no module `{self.name}`")

    def execute(self) -> None:
        runpy._run_module_as_main(self.name)  # type: ignore[attr-defined]


def prepare(argv: tuple[str, ...], first: str | None) -> None:
    """Set `sys.argv`, an empty `__main__`, and what comes first in `sys.path`, if anything does."""
    leave_out(getattr(sys.modules["__main__"], "__file__", None) or "")
    main = ModuleType("__main__")
    if "__annotations__" in vars(sys.modules["__main__"]):  # up to Python 3.13, and before the builtins
        vars(main)["__annotations__"] = {}
    vars(main)["__builtins__"] = builtins
    sys.modules["__main__"] = main
    sys.argv = list(argv)
    if _leads_with_program():
        # What stands there belongs to the command that started devlint.
        sys.path[:1] = [] if first is None else [first]


def _leads_with_program() -> bool:
    """Whether the interpreter puts the place of the program before all others in `sys.path`."""
    return not (sys.flags.isolated or getattr(sys.flags, "safe_path", False))


def _is_known(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _load(path: str) -> tuple[CodeType, SourceFileLoader | SourcelessFileLoader]:
    if path.endswith(".pyc"):
        compiled = SourcelessFileLoader("__main__", path)
        code = compiled.get_code("__main__")
        assert code is not None  # it raises instead
        return code, compiled
    source = Path(path).read_bytes()
    return compile(source, path, "exec", dont_inherit=True), SourceFileLoader("__main__", path)
