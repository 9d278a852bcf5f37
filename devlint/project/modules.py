"""Resolving the imports in a project to its files, as Python does.

A module is searched below the directory that contains a file's outermost package, then below the root of the
project and its `src`, then below a `src` in that directory, which may be the root of a smaller project, then
below the root of the project within the package, where a repository has an `__init__.py` at its root, then
beside the file, as for a script, and in the directories that the script adds to `sys.path`. If the file is a
script, it is searched beside it first.
Without a marked root, the root is the working directory. Installed packages are not part of a project, and
are not searched.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from devlint.project.disk import DIRECTORY, FILE, Disk, digest
from devlint.project.search_paths import added_paths, imported_names

_ROOT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
_PACKAGE = "__init__.py"
_ADDS = "sys.path"
_NOT_OF_PROJECTS = sys.stdlib_module_names | {"torch", "torchvision", "torchaudio", "numpy"}
"""Packages that are always installed ones, whatever modules a package has: in `utils/torch.py`, `import
torch` means torch."""


class Modules:
    """Resolves modules; caches the contents of directories."""

    def __init__(self, drafts: dict[str, bytes] | None = None, disk: Disk | None = None) -> None:
        self._disk = Disk() if disk is None else disk
        self._drafts: dict[str, bytes] = {} if drafts is None else drafts
        """Contents of files that are used instead of those on the disk."""
        self._kinds: dict[str, str] = {}
        self._states: dict[str, str] = {}
        self._homes: dict[str, tuple[str, str]] = {}
        self._roots: dict[str, tuple[str, ...]] = {}
        self._found: dict[tuple[str, str], tuple[str, str, tuple[str, ...]]] = {}
        """The results of `find`, by name and directory."""
        self._added: dict[str, tuple[list[str], list[str]]] = {}
        """For each script, the directories that it adds to `sys.path`, and the files that show it."""

    def absolute(self, name: str, importer: str) -> str:
        """The absolute form of a relative name in a file; unchanged if it leads out of the package, as in a
        directory without `__init__.py`."""
        rest = name.lstrip(".")
        up = len(name) - len(rest) - 1
        _, package = self._home(os.path.dirname(importer))  # noqa: PTH120  # paths are strings throughout
        parts = package.split(".") if package else []
        if not parts or up >= len(parts):
            return name
        return ".".join((*parts[: len(parts) - up], rest))

    def package_of(self, importer: str) -> str:
        """The path, existing or missing, of the `__init__.py` in a file's directory."""
        return f"{os.path.dirname(importer)}/{_PACKAGE}"  # noqa: PTH120

    def find(self, name: str, importer: str) -> tuple[str, str, tuple[str, ...]]:
        """The file of the longest prefix of a name that has one, the rest of the name, and the missing paths
        that were searched.

        The path of the file is empty if there is none.
        """
        directory = os.path.dirname(importer)  # noqa: PTH120
        known = self._found.get((name, directory))
        if known is None:
            known = self._found[name, directory] = self._find(name, directory)
        return known

    def _find(self, name: str, directory: str) -> tuple[str, str, tuple[str, ...]]:
        """The result of `find` for the files of a directory."""
        if name.startswith("."):
            return self._relative(name, directory)
        parts = name.split(".")
        if not parts[0] or parts[0] in _NOT_OF_PROJECTS:
            return "", name, ()
        missing: list[str] = []
        for root in self._roots_for(directory):
            found = self._below(root, parts, missing)
            if found is not None:
                path, rest = found
                return path, rest, tuple(missing)
        return "", name, tuple(missing)

    def find_for_script(self, name: str, script: str) -> tuple[str, str, tuple[str, ...]]:
        """The result of `find` for a name when a script was started: Python searches beside it as well, and
        in the directories that it adds."""
        found = self.find(name, script)
        parts = name.split(".")
        if found[0] or not parts[0] or parts[0] in _NOT_OF_PROJECTS:
            return found
        added, shown_by = self._added_by(script)
        missing = [*found[2], *shown_by]
        for root in (os.path.dirname(script), *added):  # noqa: PTH120
            below = self._below(root, parts, missing)
            if below is not None:
                return *below, tuple(missing)
        return "", name, tuple(missing)

    def started(self, name: str, script: str) -> tuple[str, str, tuple[str, ...]]:
        """The result of `find` for a name in a script itself, beside which Python searches first.

        A script that would import itself, or a name that its neighbor does not lead to, is started as a part
        of its package.
        """
        if name.startswith("."):
            return self.find(name, script)
        parts = name.split(".")
        if not parts[0] or parts[0] in _NOT_OF_PROJECTS:
            return "", name, ()
        missing: list[str] = []
        path, rest = self._below(os.path.dirname(script), parts, missing) or ("", name)  # noqa: PTH120
        if path and not rest and path != script:
            return path, rest, tuple(missing)
        path, rest, others = self.find_for_script(name, script)
        return path, rest, (*missing, *others)

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if it cannot be read."""
        draft = self._drafts.get(path)
        return self._disk.read(path) if draft is None else draft

    def state(self, path: str) -> str:
        """The state of a path, for detecting changes: for a file, a digest of its content."""
        known = self._states.get(path)
        if known is None:
            draft = self._drafts.get(path)
            known = self._states[path] = self._disk.state(path) if draft is None else digest(draft)
        return known

    def changed(self, path: str) -> None:
        """Drop the cached content of a file."""
        self._states.pop(path, None)
        self._added.clear()

    def _relative(self, name: str, root: str) -> tuple[str, str, tuple[str, ...]]:
        """The result of `find` for a relative name that leads out of its package: directories without
        `__init__.py` are packages, too."""
        names = name.lstrip(".")
        outermost = self._outermost(root)
        for _ in range(len(name) - len(names) - 1):
            if root == outermost:
                return "", name, ()
            root = os.path.dirname(root)  # noqa: PTH120
        missing: list[str] = []
        path, rest = (self._below(root, names.split("."), missing) if names else None) or ("", name)
        return path, rest, tuple(missing)

    def _added_by(self, script: str) -> tuple[list[str], list[str]]:
        """The directories of the project that a script adds to `sys.path`, itself or by a module beside it,
        and the paths of these modules."""
        known = self._added.get(script)
        if known is None:
            directory = os.path.dirname(script)  # noqa: PTH120
            outermost = self._outermost(directory)
            text = self._text(script)
            beside = [f"{directory}/{name}.py" for name in imported_names(text)]
            helpers = [each for each in beside if self._kind(each) == FILE and _ADDS in self._text(each)]
            places = [each for one in (script, *helpers) for each in added_paths(self._text(one), one)]
            inner = [each for each in places if each == outermost or each.startswith(f"{outermost}{os.sep}")]
            known = self._added[script] = (list(dict.fromkeys(inner)), helpers)
        return known

    def _text(self, path: str) -> str:
        return (self.read(path) or b"").decode("utf-8", "replace")

    def _below(self, root: str, parts: list[str], missing: list[str]) -> tuple[str, str] | None:
        at = root
        for position, part in enumerate(parts):
            inner, module = f"{at}/{part}", f"{at}/{part}.py"
            if self._is_package(inner, module, missing):
                at = inner
                continue
            if self._kind(module) == FILE:
                return module, ".".join(parts[position + 1 :])
            missing += (inner, module)
            return None if position == 0 else self._package(at, parts[position:], missing)
        return self._package(at, [], missing)

    def _is_package(self, directory: str, module: str, missing: list[str]) -> bool:
        """Whether a directory is meant, and not the module of the same name beside it: without an
        `__init__.py`, such as one with data, it comes second."""
        if self._kind(directory) != DIRECTORY:
            return False
        package = f"{directory}/{_PACKAGE}"
        if self._kind(package) == FILE:
            return True
        missing.append(package)
        return self._kind(module) != FILE

    def _package(self, directory: str, rest: list[str], missing: list[str]) -> tuple[str, str] | None:
        path = f"{directory}/{_PACKAGE}"
        if self._kind(path) == FILE:
            return path, ".".join(rest)
        missing.append(path)
        return None

    def _roots_for(self, directory: str) -> tuple[str, ...]:
        known = self._roots.get(directory)
        if known is None:
            home, _ = self._home(directory)
            project = self._project(home) or self._working_directory(home)
            roots = (
                (home, f"{home}/src") if project is None else (home, project, f"{project}/src", f"{home}/src")
            )
            known = self._roots[directory] = tuple(dict.fromkeys((*roots, *self._within(home, directory))))
        return known

    def _within(self, home: str, directory: str) -> Iterator[str]:
        """The root of a project that is a package itself: the outermost directory with a mark of a root, or
        the working directory, between a directory and what contains its outermost package."""
        here, outermost = self._disk.here(), ""
        while directory != home:
            if directory == here or any(self._kind(f"{directory}/{mark}") for mark in _ROOT_MARKS):
                outermost = directory
            directory = os.path.dirname(directory)  # noqa: PTH120
        if outermost:
            yield outermost

    def _outermost(self, directory: str) -> str:
        """The root of a directory's project, or what contains its outermost package."""
        home, _ = self._home(directory)
        return self._project(home) or self._working_directory(home) or home

    def _home(self, directory: str) -> tuple[str, str]:
        """The directory that contains the outermost package of a directory's files, and the package's
        name."""
        known = self._homes.get(directory)
        if known is None:
            if self._kind(f"{directory}/{_PACKAGE}") == FILE:
                parent, name = os.path.split(directory)
                home, package = self._home(parent)
                known = (home, f"{package}.{name}" if package else name)
            else:
                known = (directory, "")
            self._homes[directory] = known
        return known

    def _project(self, directory: str) -> str | None:
        at = directory
        while True:
            if any(self._kind(f"{at}/{mark}") for mark in _ROOT_MARKS):
                return at
            above = os.path.dirname(at)  # noqa: PTH120
            if above == at:
                return None
            at = above

    def _working_directory(self, directory: str) -> str | None:
        """The working directory, if a directory is below it."""
        here = self._disk.here()
        return here if directory == here or directory.startswith(f"{here}{os.sep}") else None

    def _kind(self, path: str) -> str:
        known = self._kinds.get(path)
        if known is None:
            known = self._kinds[path] = self._disk.kind(path)
        return known
