"""The files of a project that are interpreted together, each when another one first uses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from devlint.model import Subject
from devlint.source import ir
from devlint.source.decode import decode
from devlint.source.flow.program import Program
from devlint.source.flow.state.activations import Activations
from devlint.source.flow.syntax.imports import Exporter
from devlint.source.from_ast.module import Sketch, sketch
from devlint.source.interpreter import ProgramT, program_for
from devlint.source.screen import may_matter
from devlint.source.unreadable import UnreadableSource

WINDOW = 16 << 20
"""How many characters the files have that are kept at once; in memory, each takes some twelve bytes."""
MOST_REMEMBERED = 100
"""Of how many files that were checked it is remembered to which others they led."""
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
    """One file of a library: its text, and its interpreter."""

    text: str
    program: Program
    sketch: Sketch | None = None
    """How it was read, while it is checked. The syntax tree takes three times the memory of all the rest, and
    only findings ask for it."""


class Library:
    """Files by their paths."""

    def __init__(self, finder: Finder) -> None:
        self.finder = finder
        self._volumes: dict[str, Volume | None] = {}
        self._refused: dict[str, str] = {}
        """The texts that cannot be read, or have not been yet."""
        self._places: dict[str, Place] = {}
        self._borrowed: set[str] = set()
        """The files that others use."""
        self._checked: dict[str, None] = {}
        """The files that have been checked, the last one last."""
        self._activations = Activations()
        self._size = 0
        self._wanted: frozenset[Subject] = frozenset()

    def want(self, subjects: frozenset[Subject]) -> None:
        """Note from now on what is about these, too, in whichever file: one that was read for others may be
        checked later. What was read without is forgotten."""
        if not subjects <= self._wanted:
            self._wanted |= subjects
            self.clear()

    def place(self, path: str) -> Place:
        """A file's place in the library, whether it was read or not."""
        return self._places.setdefault(path, Place(self, path))

    def volume(self, path: str, text: str | None = None) -> Volume | None:
        """A file, its body interpreted; None if that cannot be done with `ast`.

        `text` is what it holds, if it is to be checked. If another text was read before, everything is
        forgotten.
        """
        if path in self._volumes:
            known = self._volumes[path]
            if text is None or text == (self._refused.get(path) if known is None else known.text):
                return known
            self.clear()
        self._volumes[path] = None  # until it is known to be readable
        held = self._text(path) if text is None else text
        if held is None:
            return None
        self._refused[path] = held
        read = sketch(held)
        if read is None:
            return None
        program = self.program(path, read.body, held, Program)
        self._volumes[path] = Volume(held, program, None if text is None else read)
        self._size += len(held)
        try:
            program.run_body(read.body)
        except RecursionError:
            self._volumes[path] = None
            self._size -= len(held)
        else:
            del self._refused[path]
        return self._volumes[path]

    def borrow(self, path: str) -> Volume | None:
        """A file that another one uses."""
        self._borrowed.add(path)
        return self.volume(path)

    def program(self, path: str, body: ir.Block, text: str, kind: type[ProgramT]) -> ProgramT:
        """An interpreter for a file, which is not kept."""
        return program_for(body, text, kind, path, self._activations, self.place(path), self._wanted)

    def dependencies(self, path: str) -> frozenset[str]:
        """The paths of the other files, there or not, on which may depend what is found in a file."""
        return frozenset(self._led_to(path, set()) - {path})

    def release(self, path: str) -> None:
        """A file has been checked: forget it, unless others use it; and if these are too many by now, forget
        those to which the last files did not lead.

        Not while anything is being interpreted.
        """
        volume = self._volumes.get(path)
        if volume is not None and path in self._borrowed:
            volume.sketch = None
        elif volume is not None:
            self._forget(path, volume)
        self._remember(path)
        if self._size > WINDOW:
            self._forget_all_but(self._used_last(WINDOW // 2))

    def clear(self) -> None:
        """Forget everything."""
        self._forget_all_but(set())
        self._activations = Activations()

    def _remember(self, path: str) -> None:
        self._checked.pop(path, None)
        self._checked[path] = None
        if len(self._checked) > MOST_REMEMBERED:
            oldest = next(iter(self._checked))
            del self._checked[oldest]
            if oldest not in self._volumes:
                self._places.pop(oldest, None)

    def _used_last(self, most: int) -> set[str]:
        """The paths to which the files led that were checked last, as far back as their texts fit in.

        All to which one of them led is among them, so that nothing that is kept leads to what is forgotten.
        """
        used: set[str] = set()
        for path in reversed(self._checked):
            more = self._led_to(path, used)
            most -= sum(len(volume.text) for each in more if (volume := self._volumes.get(each)) is not None)
            if most < 0:
                break
            used |= more
        return used

    def _led_to(self, path: str, known: set[str]) -> set[str]:
        """The paths to which a file has led, through others too, its own among them, besides those that are
        known with all to which they have led."""
        reached: set[str] = set()
        waiting = [path]
        while waiting:
            at = waiting.pop()
            if at not in reached and at not in known:
                reached.add(at)
                place = self._places.get(at)
                waiting += place.used if place is not None else ()
        return reached

    def _forget_all_but(self, kept: set[str]) -> None:
        for path, volume in list(self._volumes.items()):
            if volume is not None and path not in kept:
                self._forget(path, volume)
        self._volumes = {path: volume for path, volume in self._volumes.items() if path in kept}
        self._refused = {path: text for path, text in self._refused.items() if path in kept}
        self._places = {path: place for path, place in self._places.items() if path in kept}
        self._checked = {path: None for path in self._checked if path in kept}
        self._borrowed &= kept

    def _forget(self, path: str, volume: Volume) -> None:
        del self._volumes[path]
        self._size -= len(volume.text)
        volume.program.take_apart()

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
