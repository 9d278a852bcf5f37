"""Imports: the names that they bind, and the meaning of those names when they are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from devlint.source import ir
from devlint.source.machine.domain.importers import Importer
from devlint.source.machine.domain.values import TOP, External, Imported, Object, Reference, Value
from devlint.source.machine.heap.files import Class, File, Scope
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import Container, Instance, ModuleFile
from devlint.source.machine.interprocedural import endings
from devlint.source.machine.interprocedural.file_names import are_known
from devlint.source.machine.interprocedural.placeholders import doubt_names
from devlint.source.machine.interprocedural.unused_imports import FindsFiles, UnusedImports
from devlint.source.machine.library import builtin_objects
from devlint.source.machine.library.names import external_attribute
from devlint.source.machine.operators.availability import imported
from devlint.source.machine.transfer.interpreter import Interpreter

_DEEPEST_IMPORT = 40


class Files(FindsFiles, Protocol):
    """Provides the other files of a project."""

    def find(self, name: str, importer: Importer) -> tuple[File, str] | None:
        """The file of the longest prefix of a module's name that leads to a file, with the rest of the
        name."""
        ...

    def absolute(self, name: str, importer: Importer) -> str:
        """The absolute form of a relative name in the file that uses it."""
        ...


class NoFiles:
    """The other files of a file without a project."""

    def find(self, name: str, importer: Importer) -> tuple[File, str] | None:  # noqa: ARG002
        """None: there are no other files."""
        return None

    def find_with(self, name: str, importer: Importer, word: str) -> File | None:  # noqa: ARG002
        """None: there are no other files."""
        return None

    def absolute(self, name: str, importer: Importer) -> str:  # noqa: ARG002
        """The name, unchanged."""
        return name


class RunsFiles(Interpreter, Protocol):
    """A machine that executes imported files."""

    def run_for_others(self, file: File) -> None:
        """Execute the body of a file independently of the current state."""
        ...


class Linking:
    """Resolves imported names, and executes the files to which they lead."""

    def __init__(self, machine: RunsFiles, files: Files) -> None:
        self._machine = machine
        self.files = files
        self.unused = UnusedImports(files, self._run_other)
        self._started: dict[str, File] = {}
        """The files that were executed because of an import, by path."""
        self._importing = 0
        self._resolving: set[Value] = set()

    def run_import(self, node: ir.Import, frame: Frame) -> None:
        """`import module`, `from module import name`."""
        module = node.module
        if module.startswith("."):
            module = self.files.absolute(module, frame.file)
        scope = frame.scope
        if not node.name:
            bound = node.alias or module.split(".")[0]
            whole = Imported(module, "", frame.file)
            self._bind(scope, bound, whole if node.alias else Imported(bound, "", frame.file))
            self.unused.record(whole, frame.file)
            return
        if node.name == "*":
            self._import_all(module, frame)
            return
        held = Imported(module, node.name, frame.file)
        self._bind(scope, node.alias or node.name, held)
        self.unused.record(held, frame.file)

    def _bind(self, scope: Scope, name: str, held: Imported) -> None:
        self._machine.store.write(scope.home(name), name, held)

    def import_for(self, registry: Object, key: str, is_found: Callable[[], bool]) -> None:
        """Execute imports whose names were not used until one of them has registered something under a key,
        in an object that an imported file keeps."""
        if self.unused.may_execute_for(key) and self._is_kept(registry):
            self.unused.execute_for(key, is_found)

    def import_all(self) -> None:
        """Execute the imports whose names were not used."""
        self.unused.execute_for("", lambda: False)

    def _is_kept(self, registry: Object) -> bool:
        """Whether an imported file has a name for an object, or for what has it as an attribute."""
        kept = [_target(each) for file in self._started.values() for each in file.scope.cells.values()]
        return any(
            each is registry or any(_target(inner) is registry for inner in each.cells.values())
            for each in kept
            if isinstance(each, Instance | Class | Container)
        )

    def resolved(self, held: Imported) -> Value:
        """The meaning of an imported name when it is used."""
        if not held.name:
            return self._module(held.module, held.importer)
        if held in self._resolving:
            return TOP
        self._resolving.add(held)
        try:
            return self._imported(held.module, held.name, held.importer)
        finally:
            self._resolving.discard(held)

    def _module(self, module: str, importer: Importer) -> Value:
        found = self.files.find(module, importer)
        if found is None or found[1]:
            return External(module)
        return self._machine.adopt(ModuleFile(found[0]))

    def _imported(self, module: str, name: str, importer: Importer) -> Value:
        """The binding of `from module import name`: the name in the package, or else its submodule."""
        package = self.files.find(module, importer) if module and not module.endswith(".") else None
        if package is not None and not package[1]:
            self._run_other(package[0])
            held = package[0].scope.cells.get(name)
            if held is not None and held not in self._resolving:
                self._machine.read(package[0].scope)
                if isinstance(held, Imported):
                    return self.resolved(held)
                return imported(self._machine, package[0], name, held)
        found = self.files.find(f"{module}.{name}" if not module.endswith(".") else module + name, importer)
        if found is None:
            return external_attribute(module, name)
        file, rest = found
        if not rest:
            return self._machine.adopt(ModuleFile(file))
        if rest != name:
            return TOP
        return self.exported(file, name)

    def _import_all(self, module: str, frame: Frame) -> None:
        found = self.files.find(module, frame.file)
        if found is None or found[1]:
            frame.file.stars.append(module)
            return
        self._run_other(found[0])
        frame.file.stars += found[0].stars
        for name, held in list(found[0].scope.cells.items()):
            if isinstance(name, str) and not name.startswith("_"):
                self._machine.store.write(frame.scope, name, held)

    def exported(self, file: File, name: str) -> Value:
        """The value of a name in another file of the project."""
        self._run_other(file)
        self._machine.read(file.scope)
        held = file.scope.cells.get(name)
        if held is not None:
            if isinstance(held, Imported):
                return self.resolved(held)
            return imported(self._machine, file, name, held)
        if name == "__dict__":
            return self._machine.adopt(builtin_objects.names_of(file.scope, all_known=are_known(file)))
        found = self.files.find(f"{file.module}.{name}", file) if file.module else None
        if found is not None and not found[1] and found[0] is not file:
            return self._module(f"{file.module}.{name}", file)
        if file.stars:
            return External(f"{file.stars[-1]}.{name}")
        return TOP

    def _run_other(self, file: File) -> None:
        """Execute the body of another file, once."""
        self._start(file)
        if self._machine.execution.hypothesis:
            doubt_names(self._machine, file)

    def _start(self, file: File) -> None:
        if file.started or self._importing > _DEEPEST_IMPORT:
            if file.process:
                endings.imported(self._machine, file.process)
            return
        file.started = True
        self._started[file.path] = file
        self._importing += 1
        try:
            self._machine.run_for_others(file)
        except BaseException:  # a body that was executed in part is executed again by the next program
            file.started, file.scope = False, Scope(None, file)
            file.functions, file.classes, file.stars = [], [], []
            raise
        finally:
            self._importing -= 1
        endings.imported(self._machine, file.process)


def _target(held: Value) -> Object | None:
    return held.target if isinstance(held, Reference) else None
