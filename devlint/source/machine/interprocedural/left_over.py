"""Files that cannot be imported, because they import a name at the top that another file does not define.

Such a file is from another version of its project: nothing uses it, so no hypothesis about it holds. Only
files with events under hypotheses are examined.
"""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.heap.files import File
from devlint.source.machine.interprocedural.file_names import names_in
from devlint.source.machine.interprocedural.linking import Files


class LeftOver:
    """For each examined file: the files to which its imports lead, and the names in it."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._imported: dict[File, tuple[File, ...] | None] = {}
        self._named: dict[File, frozenset[str] | None] = {}

    def cannot_be_imported(self, file: File) -> bool:
        """Whether an import at the top of a file fails, directly or in a file to which it leads."""
        reached, waiting = {file}, [file]
        while waiting:
            imported = self._imports_of(waiting.pop())
            if imported is None:
                return True
            new = [each for each in dict.fromkeys(imported) if each not in reached]
            reached.update(new)
            waiting += new
        return False

    def _imports_of(self, file: File) -> tuple[File, ...] | None:
        """The files to which the imports at the top of a file lead; None if one of these imports fails."""
        if file not in self._imported:
            self._imported[file] = self._find_imports(file)
        return self._imported[file]

    def _find_imports(self, file: File) -> tuple[File, ...] | None:
        found: list[File] = []
        for statement in file.body:
            if not isinstance(statement, ir.Import):
                continue
            other = self._led_to(statement, file)
            if other is not None and self._lacks(other, statement.name):
                return None
            if other is not None:
                found.append(other)
        return tuple(found)

    def _led_to(self, statement: ir.Import, file: File) -> File | None:
        """The file of a relative import of a name. An absolute import may mean an installed package."""
        if not statement.module.startswith(".") or statement.name == "*":
            return None
        module = self._files.absolute(statement.module, file)
        found = self._files.find(module, file) if module and not module.endswith(".") else None
        return None if found is None or found[1] or found[0].path == file.path else found[0]

    def _lacks(self, file: File, name: str) -> bool:
        """Whether a file defines no such name. A package also contains its submodules, including those in
        other languages."""
        if file.path.endswith(("__init__.py", ".pyi")):
            return False
        if file not in self._named:
            self._named[file] = names_in(file)
        named = self._named[file]
        return named is not None and name not in named
