"""The files of a project that are followed into each other, each when another one first uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol
from zlib import crc32

from devlint.model import EVERY_SUBJECT, Edit, EditRequest, Site, SiteId, Subject
from devlint.source import ir
from devlint.source.decode import decode
from devlint.source.machine.domain.importers import Importer
from devlint.source.machine.heap.files import SITES_PER_FILE, File, Scope
from devlint.source.machine.interprocedural.machine import AbstractMachine
from devlint.source.machine.reporting.event_log import EventLog
from devlint.source.read import read
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    from devlint.source.lower import Lowered

WINDOW = 16 << 20
"""How many characters the files have that are kept at once; in memory, each takes some twelve bytes."""


TREES = 1 << 19
"""How many characters the files have of which the syntax trees are kept; in memory, each takes some forty."""


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

    def beside(self, name: str, script: str) -> tuple[str, str, tuple[str, ...]]:
        """What `find` gives for a name that is used once a script was started."""
        ...

    def started(self, name: str, script: str) -> tuple[str, str, tuple[str, ...]]:
        """What `find` gives for a name that a script uses itself."""
        ...

    def read(self, path: str) -> bytes | None:
        """What a file holds; None if it cannot be read."""
        ...


class Resolved(NamedTuple):
    """Sites and edits of a file that were worked out, by the numbers that the file knows."""

    sites: dict[SiteId, Site]
    edits: dict[EditRequest, Edit | None]
    """None where the text gives no way to make the edit."""


class Library:
    """The files that others import, and the machine that has run them."""

    def __init__(self, finder: Finder) -> None:
        self.finder = finder
        self.wanted: frozenset[Subject] = EVERY_SUBJECT
        self._numbers: dict[str, int] = {}
        self._paths: dict[int, str] = {}
        self._root = ""
        self._is_script = False
        """Whether the file at which the program starts says what it does when it is started."""
        self._beside: dict[str, str] = {}
        """What the names lead to that imported files do not find by themselves, from the script at hand."""
        self._uses: dict[str, set[str]] = {}
        """The paths to which the names of each file led, and those that would have come before them."""
        self.clear()

    def clear(self) -> None:
        """Forget what files hold."""
        self._files: dict[str, File | None] = {}
        self._meanings: dict[str, tuple[str, ir.Block]] = {}
        """The texts that were read, and what they mean: a file is checked, and imported by others."""
        self._trees: dict[str, tuple[str, Lowered]] = {}
        """The texts that were read last, and how: what stands in them may have to be resolved."""
        self.resolved: dict[str, Resolved] = {}
        """What was resolved in files that others import, by path."""
        self._size = 0
        self._beside.clear()
        self.machine = AbstractMachine(self, self.wanted)

    def want(self, subjects: frozenset[Subject]) -> None:
        """Note from now on what settings are about these."""
        self.machine.wanted = self.wanted = subjects

    def place(self, path: str) -> LibraryFile:
        """A file's place in the library, whether it was read or not."""
        return LibraryFile(self, path)

    def meaning(self, path: str, text: str, name: str) -> ir.Block:
        """What a text means.

        Raises:
            UnreadableSource: the text is no Python, or nests too deep.
        """
        known = self._meanings.get(path)
        if known is not None and known[0] == text:
            return known[1]
        body = self.lowered(path, text, name).body
        self._size += len(text)
        self._meanings[path] = (text, body)
        return body

    def lowered(self, path: str, text: str, name: str) -> Lowered:
        """How a text is read. The trees of the last ones are kept; others are read anew.

        Raises:
            UnreadableSource: the text is no Python, or nests too deep.
        """
        known = self._trees.pop(path, None)
        lowered = known[1] if known is not None and known[0] == text else read(text, name)
        self._trees[path] = (text, lowered)
        size = sum(len(each) for each, _ in self._trees.values())
        while size > TREES and len(self._trees) > 1:
            oldest, _ = self._trees.pop(next(iter(self._trees)))
            size -= len(oldest)
        return lowered

    def root(self, path: str, body: ir.Block) -> File:
        """A file as the start of a program."""
        self._uses.setdefault(path, set())
        self._start_at(path)
        self._is_script = any(isinstance(each, ir.If) and _is_guard(each.test) for each in body)
        return File(path, self.base(path), body, "", EventLog())

    def _start_at(self, path: str) -> None:
        """Start at a script. If names lead elsewhere from there, files are not what they were."""
        self._root = path
        uses = self._uses[path]
        for name, known in self._beside.items():
            found, _, missing = self.finder.beside(name, path)
            uses.update((*missing, found) if found else missing)
            if found != known:
                self.clear()
                break

    def base(self, path: str) -> int:
        """The number from which the sites of a file are counted."""
        number = self._numbers.get(path)
        if number is None:
            # From the path alone: whatever is in the order of sites does not depend on who came first.
            number = crc32(path.encode("utf-8", "surrogatepass"))
            while number in self._paths:
                number += 1
            self._numbers[path], self._paths[number] = number, path
        return number * SITES_PER_FILE

    def path_at(self, number: int) -> str:
        """The file of a site."""
        return self._paths[number // SITES_PER_FILE]

    def dependencies(self, path: str) -> frozenset[str]:
        """The paths of the files, there or not, on which may depend what is found in a file; its own is among
        them if others lead back to it."""
        reached: set[str] = set()
        waiting = list(self._uses.get(path, ()))
        while waiting:
            at = waiting.pop()
            if at not in reached:
                reached.add(at)
                waiting += self._uses.get(at, ())
        return frozenset(reached)

    def release(self, path: str) -> None:  # noqa: ARG002 - which one makes no difference
        """A file has been checked: if those that others use are too many by now, forget them."""
        if self._size > WINDOW:
            self.clear()

    # What the machine asks

    def absolute(self, name: str, importer: Importer) -> str:
        """A name that begins with dots, as the whole project knows it."""
        if importer.module:
            return _absolute(name, importer.module, is_package=importer.path.endswith("__init__.py"))
        self._uses.setdefault(importer.path, set()).add(self.finder.package_of(importer.path))
        return self.finder.absolute(name, importer.path)

    def find(self, name: str, importer: Importer) -> tuple[File, str] | None:
        """The file of the longest part of a module's name that leads to one, and the rest of the name."""
        starts = self._is_script and importer.path == self._root
        path, rest, missing = (self.finder.started if starts else self.finder.find)(name, importer.path)
        uses = self._uses.setdefault(importer.path, set())
        uses.update(missing)
        if not path:
            path, rest, missing = self.finder.beside(name, self._root)
            self._beside[name] = path
            uses.update(missing)
        if not path:
            return None
        uses.add(path)
        module = name[: len(name) - len(rest) - 1] if rest else name
        file = self._opened(path, module)
        return None if file is None else (file, rest)

    def _opened(self, path: str, module: str) -> File | None:
        if path not in self._files:
            self._files[path] = self._read(path, module)
        return self._files[path]

    def _read(self, path: str, module: str) -> File | None:
        data = self.finder.read(path)
        if data is None:
            return None
        try:
            text = decode(data, path).text
            body = self.meaning(path, text, path)
        except (UnreadableSource, RecursionError):
            return None
        file = File(path, self.base(path), body, module, EventLog())
        file.scope = Scope(None, file)
        return file


def _is_guard(test: ir.Expression) -> bool:
    """Whether a test is `__name__ == "__main__"`."""
    match test:
        case ir.Compare(left=ir.Name(name="__name__"), rest=(("eq", ir.Constant(value="__main__")),)):
            return True
        case _:
            return False


def _absolute(name: str, module: str, *, is_package: bool) -> str:
    """A name that begins with dots, counted from a module whose own name is known."""
    rest = name.lstrip(".")
    up = len(name) - len(rest) - is_package
    parts = module.split(".")
    if up >= len(parts) and up > 0:
        return rest
    around = parts[: len(parts) - up] if up > 0 else parts
    return ".".join((*around, *([rest] if rest else [])))


class LibraryFile:
    """One file of a library."""

    def __init__(self, library: Library, path: str) -> None:
        self.library = library
        self.path = path
