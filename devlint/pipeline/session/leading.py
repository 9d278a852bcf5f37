"""Scripts that do not name torch, and start a program that does: a `main.py`, say, that imports a trainer.

What such a script passes on decides what the files that it imports do. Files that only define something are
no scripts. Left out are also those that import a script which names torch, to run it with other arguments,
over and over perhaps: that one is analyzed as it is started by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from devlint.project.imports import looked_up, names
from devlint.source.screen import may_matter

if TYPE_CHECKING:
    import ast

    from devlint.project.modules import Modules

_GUARD = b"__main__"
"""What a file names that does more when it is run than when it is imported."""


class _File(NamedTuple):
    """What a file has to do with torch."""

    matters: bool
    is_script: bool
    imported: tuple[str, ...]
    """The files to which its imports lead."""
    missing: tuple[str, ...]
    """Where they were looked for in vain."""


class Leads:
    """Knows to which files imports lead, for as long as these stay as they are."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._files: dict[str, _File] = {}
        self._rests_on: dict[str, set[str]] = {}

    def rests_on(self, path: str) -> frozenset[str]:
        """The paths of the other files, there or not, on which it rests whether a script uses torch."""
        return frozenset(self._rests_on.get(path, ()))

    def starts_torch(self, path: str, data: bytes, tree: ast.Module) -> bool:
        """Whether a file that does not name torch runs something of a file that does, or of one between."""
        return (
            self._any_uses_torch(path, names(data))
            and not self._runs_a_script(path, names(data))
            and self._any_uses_torch(path, _started(tree))
        )

    def _runs_a_script(self, path: str, imports: Iterable[str]) -> bool:
        """Whether a file imports one that is a script itself and names torch."""
        imported, missing = self._looked_up(path, imports)
        self._rests_on.setdefault(path, set()).update(missing, imported)
        return any(file.is_script and file.matters for file in map(self._file, imported))

    def _any_uses_torch(self, path: str, imports: Iterable[str]) -> bool:
        """Whether one of the names in a file's imports leads to torch, by way of other files or not."""
        imported, missing = self._looked_up(path, imports)
        looked, waiting = set(missing), list(imported)
        leads = False
        while waiting and not leads:
            at = waiting.pop()
            if at in looked or at == path:
                continue
            looked.add(at)
            file = self._file(at)
            looked.update(file.missing)
            waiting += file.imported
            leads = file.matters
        self._rests_on.setdefault(path, set()).update(looked)
        return leads

    def _file(self, path: str) -> _File:
        known = self._files.get(path)
        if known is None:
            data = self._modules.read(path) or b""
            matters = may_matter(data)
            leads = ((), ()) if matters else self._looked_up(path, names(data))
            known = self._files[path] = _File(matters, _GUARD in data, *leads)
        return known

    def _looked_up(self, path: str, imports: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        looked = [looked_up(name, path, self._modules) for name in dict.fromkeys(imports)]
        found = tuple(found for found, _ in looked if found)
        return found, tuple(each for _, missing in looked for each in missing)


def _started(tree: ast.Module) -> Collection[str]:
    """The imports that are used in calls when a file is run: all, if something of its own is used there."""
    import ast  # noqa: PLC0415  # takes longer to import than most files to screen

    imports: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports |= {each.asname or each.name.partition(".")[0]: each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            between = "" if module.endswith(".") else "."
            imports |= {each.asname or each.name: f"{module}{between}{each.name}" for each in node.names}
    own = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    calls = (node for node in _run_at_once(tree.body) if isinstance(node, ast.Call))
    used = {node.id for call in calls for node in ast.walk(call) if isinstance(node, ast.Name)}
    return (
        imports.values()
        if used & own or "*" in imports
        else [imports[name] for name in used & imports.keys()]
    )


def _run_at_once(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """What is not within a function or a class that is defined there."""
    import ast  # noqa: PLC0415

    for node in statements:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield node
            yield from _run_at_once(ast.iter_child_nodes(node))
