"""Imports whose names a program does not use. An import is executed when its name is used; until then, the
program is presumed not to notice what the body of the imported file does. It does notice in a few cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from devlint.source.machine.domain.importers import Importer
from devlint.source.machine.domain.values import Imported
from devlint.source.machine.heap.files import File


class FindsFiles(Protocol):
    """Provides the files of a project, those without a word unread."""

    def find_with(self, name: str, importer: Importer, word: str) -> File | None:
        """The file of a module: an `__init__.py`, or a file whose text contains a word."""
        ...


class UnusedImports:
    """The imports of a program in the order in which Python would execute them, as far as they are known."""

    def __init__(self, files: FindsFiles, execute: Callable[[File], None]) -> None:
        self._files = files
        self._execute = execute
        self._of: dict[str, dict[Imported, None]] = {}
        """The imports of each file that was executed, by its path."""
        self.start("")

    def start(self, path: str) -> None:
        """Start a program at a file."""
        self._waiting = {path: None}
        """The files whose imports are not yet among those of the program."""
        self._met: dict[str, None] = {}
        self._imports: list[Imported] = []
        self._searched: dict[str, int] = {}
        """How many of the imports were searched for a word."""

    def record(self, held: Imported, file: File) -> None:
        """Record an import of a file that is executed."""
        self._of.setdefault(file.path, {})[held] = None

    def may_execute_for(self, word: str) -> bool:
        """Whether any imports were not searched for a word."""
        self._collect()
        return self._searched.get(word, 0) < len(self._imports)

    def execute_for(self, word: str, is_done: Callable[[], bool]) -> None:
        """Execute files that contain a word, and each `__init__.py`, which imports others, until one of them
        has done something. An empty word is in each file."""
        self._collect()
        position = self._searched.get(word, 0)
        while position < len(self._imports) and not is_done():
            held = self._imports[position]
            position += 1
            for name in _names(held):
                file = self._files.find_with(name, held.importer, word)
                if file is not None and file.path not in self._met:
                    self._met[file.path] = None
                    self._execute(file)
                    self._waiting[file.path] = None
            self._collect()
        self._searched[word] = position

    def _collect(self) -> None:
        """Add the imports of the files that were executed since."""
        for path in [each for each in self._waiting if each in self._of]:
            del self._waiting[path]
            self._imports += self._of[path]


def _names(held: Imported) -> Iterable[str]:
    """The modules that an import executes: that from which a name is imported, and perhaps the name."""
    separator = "" if held.module.endswith(".") else "."
    dotted = f"{held.module}{separator}{held.name}".removesuffix(".")
    return [name for name in dict.fromkeys((held.module, dotted)) if name]
