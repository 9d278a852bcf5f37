"""The module graph: the files of a project that are followed. Each is read when another one first uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol
from zlib import crc32

from devlint.model import EVERY_SUBJECT, Edit, EditRequest, Site, SiteId, Subject
from devlint.source import ir
from devlint.source.decode import decode
from devlint.source.machine.domain.importers import Importer
from devlint.source.machine.heap.files import SITES_PER_FILE, File, Scope
from devlint.source.machine.interprocedural.left_over import LeftOver
from devlint.source.machine.interprocedural.machine import AbstractMachine
from devlint.source.machine.reporting.event_log import EventLog
from devlint.source.read import read
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    from devlint.source.lower import Lowered

WINDOW = 16 << 20
"""How many characters of files are kept; each takes about twelve bytes of memory."""


TREES = 1 << 21
"""How many characters of files keep their syntax trees; each takes about forty bytes of memory."""


class Finder(Protocol):
    """Finds the file of a module, as Python would."""

    def absolute(self, name: str, importer: str) -> str:
        """The absolute name of a relative name in a file."""
        ...

    def package_of(self, importer: str) -> str:
        """The path of `__init__.py` in the directory of a file, whether or not it exists."""
        ...

    def find(self, name: str, importer: str) -> tuple[str, str, tuple[str, ...]]:
        """Find the longest part of a name that is a file: its path, the remaining names, and the paths that
        were tried before. The path is empty if no file was found."""
        ...

    def find_for_script(self, name: str, script: str) -> tuple[str, str, tuple[str, ...]]:
        """The result of `find` for a name that is used while a script runs."""
        ...

    def started(self, name: str, script: str) -> tuple[str, str, tuple[str, ...]]:
        """What `find` gives for a name that a script uses itself."""
        ...

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if it cannot be read."""
        ...


class Resolved(NamedTuple):
    """The resolved sites and edits of a file, by the numbers of that file."""

    sites: dict[SiteId, Site]
    edits: dict[EditRequest, Edit | None]
    """None if the edit is impossible."""


class _ScriptModule(NamedTuple):
    """The module that a name means because of the running script's directory."""

    path: str
    """Empty if there is none."""
    importers: set[str]
    """The files that import it."""


class ModuleGraph:
    """The imported files, and the machine that has run them."""

    def __init__(self, finder: Finder) -> None:
        self.finder = finder
        self.wanted: frozenset[Subject] = EVERY_SUBJECT
        self._numbers: dict[str, int] = {}
        self._paths: dict[int, str] = {}
        self._root = ""
        self._is_script = False
        """Whether the file at which the program starts says what it does when it is started."""
        self._script_modules: dict[str, _ScriptModule] = {}
        """The names that imported files can resolve only because of the running script's directory."""
        self._uses: dict[str, set[str]] = {}
        """The paths of the names in each file, and the paths that would have precedence."""
        self.clear()

    def clear(self) -> None:
        """Drop all content."""
        self._files: dict[str, File | None] = {}
        self._meanings: dict[str, tuple[str, ir.Block]] = {}
        """The texts that were read, lowered: a file may be checked, and be imported by others."""
        self._words: dict[tuple[str, str], bool] = {}
        self._trees: dict[str, tuple[str, Lowered]] = {}
        """The syntax trees of the texts that were read last, in which sites may have to be resolved."""
        self.resolved: dict[str, Resolved] = {}
        """The resolved sites and edits of imported files, by path."""
        self._size = 0
        self._script_modules.clear()
        self.machine = AbstractMachine(self, self.wanted)

    def _drop(self, changed: set[str]) -> None:
        """Drop files, and those that use them directly or indirectly; their texts are kept."""
        reached = {path: {path, *self.dependencies(path)} for path in self._files}
        self._files = {path: file for path, file in self._files.items() if changed.isdisjoint(reached[path])}
        self.machine.left_over = LeftOver(self)

    def want(self, subjects: frozenset[Subject]) -> None:
        """Observe settings with these subjects from now on."""
        self.machine.wanted = self.wanted = subjects

    def place(self, path: str) -> ModuleFile:
        """The place of a file in the module graph, whether or not it was read."""
        return ModuleFile(self, path)

    def meaning(self, path: str, text: str, name: str) -> ir.Block:
        """The lowered text.

        Raises: | UnreadableSource: the text is not valid Python, or nests too deep.
        """
        known = self._meanings.get(path)
        if known is not None and known[0] == text:
            return known[1]
        body = self.lowered(path, text, name).body
        self._size += len(text)
        self._meanings[path] = (text, body)
        return body

    def lowered(self, path: str, text: str, name: str) -> Lowered:
        """The lowered text with its syntax tree. Trees of the last texts are kept; others are parsed again.

        Raises: | UnreadableSource: the text is not valid Python, or nests too deep.
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
        """Start at a script. The imported files in which names resolve differently from there are dropped."""
        self._root = path
        uses = self._uses[path]
        changed: set[str] = set()
        for name, known in list(self._script_modules.items()):
            found, _, missing = self.finder.find_for_script(name, path)
            uses.update((*missing, found) if found else missing)
            if found != known.path:
                changed |= known.importers
                del self._script_modules[name]
        if changed:
            self._drop(changed)

    def base(self, path: str) -> int:
        """The number at which the sites of a file start."""
        number = self._numbers.get(path)
        if number is None:
            # Computed from the path only, so that the order of sites does not depend on the order of files.
            number = crc32(path.encode("utf-8", "surrogatepass"))
            while number in self._paths:
                number += 1
            self._numbers[path], self._paths[number] = number, path
        return number * SITES_PER_FILE

    def path_at(self, number: int) -> str:
        """The file of a site."""
        return self._paths[number // SITES_PER_FILE]

    def dependencies(self, path: str) -> frozenset[str]:
        """The paths, existing or not, on which the findings of a file may depend; including its own if an
        imported file imports it."""
        reached: set[str] = set()
        waiting = [path]
        while waiting:
            new = self._uses.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new & self._uses.keys()
        return frozenset(reached)

    def release(self, path: str) -> None:  # noqa: ARG002 - which one makes no difference
        """Release a checked file. If too much is kept, drop the files that were not used recently."""
        if self._size > WINDOW:
            self.clear()

    # Called by the machine

    def absolute(self, name: str, importer: Importer) -> str:
        """The absolute name of a name in a file of the project."""
        if importer.module:
            return _absolute(name, importer.module, is_package=importer.path.endswith("__init__.py"))
        self._uses.setdefault(importer.path, set()).add(self.finder.package_of(importer.path))
        return self.finder.absolute(name, importer.path)

    def find(self, name: str, importer: Importer) -> tuple[File, str] | None:
        """The file of the longest part of a module's name, and the remaining names."""
        name = _without_end(name)
        path, rest = self._located(name, importer)
        if not path:
            return None
        module = (name[: len(name) - len(rest) - 1] if rest else name).lstrip(".")
        file = self._opened(path, module)
        return None if file is None else (file, rest)

    def find_with(self, name: str, importer: Importer, word: str) -> File | None:
        """The file of a module: an `__init__.py`, or a file whose text contains a word."""
        name = _without_end(name)
        path, rest = self._located(name, importer)
        if not path or rest:
            return None
        if not path.endswith("__init__.py") and not self._has_word(path, word):
            return None
        return self._opened(path, name.lstrip("."))

    def _located(self, name: str, importer: Importer) -> tuple[str, str]:
        """The path of the longest part of a module's name, and the remaining names; no path if none leads to
        a file."""
        starts = self._is_script and importer.path == self._root
        path, rest, missing = (self.finder.started if starts else self.finder.find)(name, importer.path)
        uses = self._uses.setdefault(importer.path, set())
        uses.update(missing)
        if not path:
            path, rest, missing = self.finder.find_for_script(name, self._root)
            self._script_modules.setdefault(name, _ScriptModule(path, set())).importers.add(importer.path)
            uses.update(missing)
        if path:
            uses.add(path)
        return path, rest

    def _has_word(self, path: str, word: str) -> bool:
        """Whether a file contains a word. Each program asks again for the same words."""
        known = self._words.get((path, word))
        if known is None:
            known = self._words[path, word] = word.encode() in (self.finder.read(path) or b"")
        return known

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


def _without_end(name: str) -> str:
    """The name of a package without the dot at the end that it has where a program starts with `from . import
    name`: a file must not get a second path, by which it would be read and executed again."""
    return name.rstrip(".") or name


def _absolute(name: str, module: str, *, is_package: bool) -> str:
    """The absolute name of a relative name in a module with a known name."""
    rest = name.lstrip(".")
    up = len(name) - len(rest) - is_package
    parts = module.split(".")
    if up >= len(parts) and up > 0:
        return name
    around = parts[: len(parts) - up] if up > 0 else parts
    return ".".join((*around, *([rest] if rest else [])))


class ModuleFile:
    """A file of the module graph."""

    def __init__(self, graph: ModuleGraph, path: str) -> None:
        self.graph = graph
        self.path = path
