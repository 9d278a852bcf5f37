"""The files of a project that are interpreted together, each when another one first uses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from devlint.source import ir
from devlint.source.decode import decode
from devlint.source.flow.activations import Activations
from devlint.source.flow.imports import Exporter
from devlint.source.flow.program import Program
from devlint.source.from_ast.module import Sketch, sketch
from devlint.source.interpreter import ProgramT, program_for
from devlint.source.screen import may_matter
from devlint.source.unreadable import UnreadableSource

WINDOW = 6 << 20
"""How many characters of text are kept at once. What is beyond is forgotten, all together: files lead to each
other."""


PACKAGE = "__init__.py"


class Finder(Protocol):
    """Says which file a name stands for, as Python would."""

    def absolute(self, name: str, importer: str) -> str:
        """A name that begins with dots, counted from the file that uses it."""
        ...

    def package_of(self, importer: str) -> str:
        """The path of the file, there or not, that makes a package of a file's directory."""
        ...

    def find(self, name: str, importer: str) -> tuple[str, str, tuple[str, ...]]:
        """The path of the file of the longest part of a name that leads to one, the rest, and the paths at
        which it was looked for in vain. The first is empty where there is none."""
        ...

    def read(self, path: str) -> bytes | None:
        """What a file holds; None if it cannot be read."""
        ...


@dataclass(slots=True)
class Volume:
    """One file of a library: its text, its meaning, and its interpreter."""

    text: str
    sketch: Sketch
    program: Program


class Library:
    """Files by their paths."""

    def __init__(self, finder: Finder) -> None:
        self.finder = finder
        self._volumes: dict[str, Volume | None] = {}
        self._places: dict[str, Place] = {}
        self._borrowed: set[str] = set()
        """The files that others use."""
        self._activations = Activations()
        self._size = 0

    def place(self, path: str) -> Place:
        """A file's place in the library, whether it was read or not."""
        return self._places.setdefault(path, Place(self, path))

    def volume(self, path: str, text: str | None = None) -> Volume | None:
        """A file, its body interpreted; None if that cannot be done with `ast`.

        `text` is what it holds, if that is known. If another text was read before, everything is forgotten.
        """
        if path in self._volumes:
            known = self._volumes[path]
            if text is None or (known is not None and known.text == text):
                return known
            self.clear()
        self._volumes[path] = None  # until it is known to be readable
        held = self._text(path) if text is None else text
        read = None if held is None else sketch(held)
        if held is None or read is None:
            return None
        program = self.program(path, read.body, held, Program)
        self._volumes[path] = Volume(held, read, program)
        self._size += len(held)
        try:
            program.run_body(read.body)
        except RecursionError:
            self._volumes[path] = None
        return self._volumes[path]

    def borrow(self, path: str) -> Volume | None:
        """A file that another one uses."""
        self._borrowed.add(path)
        return self.volume(path)

    def program(self, path: str, body: ir.Block, text: str, kind: type[ProgramT]) -> ProgramT:
        """An interpreter for a file, which is not kept."""
        return program_for(body, text, kind, path, self._activations, self.place(path))

    def dependencies(self, path: str) -> frozenset[str]:
        """The paths of the other files, there or not, on which may depend what is found in a file."""
        reached: set[str] = set()
        waiting = [path]
        while waiting:
            at = waiting.pop()
            if at not in reached:
                reached.add(at)
                place = self._places.get(at)
                waiting += place.used if place is not None else ()
        return frozenset(reached - {path})

    def release(self, path: str) -> None:
        """A file has been checked: forget it, unless others use it; and everything, if that is too much.

        Not while anything is being interpreted.
        """
        volume = self._volumes.get(path)
        if volume is not None and path not in self._borrowed:
            del self._volumes[path], self._places[path]
            self._size -= len(volume.text)
        if self._size > WINDOW:
            self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._volumes.clear()
        self._places.clear()
        self._borrowed.clear()
        self._activations = Activations()
        self._size = 0

    def _text(self, path: str) -> str | None:
        """What a file holds; None if it cannot be read, or neither matters nor hands names on."""
        data = self.finder.read(path)
        if data is None or not (may_matter(data) or path.endswith(PACKAGE)):
            return None
        try:
            return decode(data, path).text
        except UnreadableSource:
            return None


class Place:
    """One file of a library, and the way from it to the others."""

    def __init__(self, library: Library, path: str) -> None:
        self.library = library
        self.path = path
        self.used: set[str] = set()
        """The paths to which its names led, and those that would have come before them."""

    def absolute(self, name: str) -> str:
        """A name that begins with dots, as the whole project knows it."""
        self.used.add(self.library.finder.package_of(self.path))
        return self.library.finder.absolute(name, self.path)

    def find(self, name: str) -> tuple[str, str] | None:
        """The path of the file that a name leads to, and the rest of the name."""
        path, rest, missing = self.library.finder.find(name, self.path)
        self.used.update(missing)
        if not path:
            return None
        return path, rest

    def open(self, path: str) -> Exporter | None:
        """A file that was found."""
        self.used.add(path)
        volume = self.library.borrow(path)
        return None if volume is None else volume.program
