"""The files of a project that a file seems to import, by a search for import statements in its bytes.

The result may be wrong: it only decides which files belong together, and which are sent along.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from devlint.project.modules import Modules

_STATEMENT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(?P<module>[.\w]+)[ \t]+import[ \t]*(?P<names>\([^)]*\)|[^\n#;]*)"
    rb"|import[ \t]+(?P<modules>[^\n#;]+))",
    re.MULTILINE,
)
_NAME = re.compile(rb"[\w.]+")


def imported(path: str, data: bytes, modules: Modules) -> Iterator[str]:
    """The files that a file imports."""
    for name in dict.fromkeys(names(data)):
        found, _ = looked_up(name, path, modules)
        if found:
            yield found


def looked_up(name: str, path: str, modules: Modules) -> tuple[str, tuple[str, ...]]:
    """The file of a name in a file's imports, empty if there is none, and the missing paths that were
    searched."""
    whole = modules.absolute(name, path) if name.startswith(".") else name
    if whole.startswith("."):
        return "", ()
    found, _, missing = modules.find_for_script(whole, path)
    return found, missing


def names(data: bytes) -> Iterator[str]:
    """The names in the import statements of a file: modules, and what is imported from them."""
    for match in _STATEMENT.finditer(data):
        if match["module"] is not None:
            module = match["module"].decode("utf-8", "replace")
            yield module
            for name in _bound(match["names"]):
                yield f"{module}{'' if module.endswith('.') else '.'}{name}"
            continue
        for name in _bound(match["modules"]):
            parts = name.split(".")
            for count in range(1, len(parts) + 1):
                yield ".".join(parts[:count])


def _bound(listed: bytes) -> Iterator[str]:
    for part in listed.strip(b"()").split(b","):
        name = _NAME.search(part)
        if name is not None:
            yield name[0].decode("utf-8", "replace")


def connected(paths: Iterable[str], links: Mapping[str, Collection[str]]) -> list[list[str]]:
    """The connected components of the paths, each in order, in the order of their first paths."""
    group = {path: path for path in sorted(paths)}

    def first(path: str) -> str:
        while group[path] != path:
            group[path] = path = group[group[path]]
        return path

    for path, targets in links.items():
        for target in targets:
            if path in group and target in group:
                one, other = sorted((first(path), first(target)))
                group[other] = one
    groups: dict[str, list[str]] = {}
    for path in group:
        groups.setdefault(first(path), []).append(path)
    return list(groups.values())
