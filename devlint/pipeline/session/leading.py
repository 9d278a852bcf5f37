"""Scripts that do not name torch but start a program that does, such as a `main.py` that imports a trainer.

The arguments that such a script passes decide what the imported files do. Files with definitions only are not
scripts. Excluded are also those that import a script that names torch, perhaps to run it repeatedly with
other arguments: the imported script is analyzed by itself.
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
"""A word in files that do more when they are run than when they are imported."""


class _File(NamedTuple):
    """The relation of a file to torch."""

    matters: bool
    is_script: bool
    imported: tuple[str, ...]
    """The files that it imports."""
    missing: tuple[str, ...]
    """The missing paths at which imports were searched."""


class Leads:
    """Resolves imports, and caches the results until the files change."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._files: dict[str, _File] = {}
        self._rests_on: dict[str, set[str]] = {}

    def rests_on(self, path: str) -> frozenset[str]:
        """The paths of the other files, existing or missing, that decide whether a script uses torch."""
        return frozenset(self._rests_on.get(path, ()))

    def starts_torch(self, path: str, data: bytes, tree: ast.Module) -> bool:
        """Whether a file that does not name torch runs code of a file that does, directly or indirectly."""
        return (
            self._any_uses_torch(path, names(data))
            and not self._runs_a_script(path, names(data))
            and self._any_uses_torch(path, _started(tree))
        )

    def _runs_a_script(self, path: str, imports: Iterable[str]) -> bool:
        """Whether a file imports a script that names torch."""
        imported, missing = self._looked_up(path, imports)
        self._rests_on.setdefault(path, set()).update(missing, imported)
        return any(file.is_script and file.matters for file in map(self._file, imported))

    def _any_uses_torch(self, path: str, imports: Iterable[str]) -> bool:
        """Whether an import of a file leads to torch, directly or by other files."""
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
    """The imports that are used in calls when a file is run; all, if its own definitions are used there."""
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
    """The statements outside of functions and classes."""
    import ast  # noqa: PLC0415

    for node in statements:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield node
            yield from _run_at_once(ast.iter_child_nodes(node))
