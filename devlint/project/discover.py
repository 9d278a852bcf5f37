"""From the paths that a user passes to the files that are checked."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from devlint.project.configuration import Configurations
from devlint.project.gitignore import Gitignore
from devlint.project.settings import Settings

PYTHON_SUFFIXES = frozenset({".py", ".pyi"})
NOTEBOOK_SUFFIX = ".ipynb"
SUFFIXES = PYTHON_SUFFIXES | {NOTEBOOK_SUFFIX}
"""The suffixes of checked files in a directory. A file that the user passes may have any suffix."""


class SourceFile(NamedTuple):
    """A file to check: its absolute path, and its settings."""

    path: Path
    settings: Settings
    below: Path | None = None
    """The given directory that contains it; None if the file itself was given."""


class Discovery:
    """The found files, in the order of paths."""

    def __init__(self) -> None:
        self.files: list[SourceFile] = []
        self.missing: list[str] = []
        """Given paths that do not exist, as given."""
        self.unreadable: list[tuple[Path, str]] = []
        """Directories and special files that could not be read, and why."""


def discover(paths: Iterable[str], configurations: Configurations) -> Discovery:
    """Find the files to check: the given files, and those below the given directories.

    Directories and files that the settings exclude or git ignores are skipped, unless they are given
    themselves; with `force-exclude`, they are skipped even then. Links to directories are not followed. A
    path that is reached twice is checked once.

    Raises: ConfigurationError: if the configuration of a path is invalid.
    """
    walk = _Walk(configurations)
    for name in paths:
        walk.start(name)
    found = walk.found
    found.files.sort(key=lambda file: file.path)
    found.unreadable.sort()
    return found


class _Walk:
    def __init__(self, configurations: Configurations) -> None:
        self.configurations = configurations
        self.found = Discovery()
        self._seen: set[Path] = set()

    def start(self, name: str) -> None:
        path = Path(os.path.abspath(self.configurations.working_directory / name))  # noqa: PTH100  # keeps links
        try:
            mode = path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            # A broken link exists, so that reading it fails.
            if not path.is_symlink():
                self.found.missing.append(name)
                return
            mode = 0
        except OSError as error:
            if self._is_new(path):
                self.found.unreadable.append((path, reason(error)))
            return
        is_directory = stat.S_ISDIR(mode)
        settings = self.configurations.at(path if is_directory else path.parent)
        if settings.force_exclude and settings.excludes(path, is_directory=is_directory):
            return
        if not is_directory:
            self._add(path, settings)
        elif self._is_new(path):
            ignored = Gitignore.above(path) if settings.respect_gitignore else Gitignore()
            self._below(path, ignored)

    def _below(self, named: Path, ignored: Gitignore) -> None:
        # An explicit stack, because directories may be nested more deeply than Python's calls.
        waiting = [(named, ignored)]
        while waiting:
            directory, ignored = waiting.pop()
            waiting += reversed(self._directory(directory, ignored, named))

    def _directory(self, directory: Path, ignored: Gitignore, named: Path) -> list[tuple[Path, Gitignore]]:
        """Add the files of a directory; return its directories, which remain to be walked."""
        inner: list[tuple[Path, Gitignore]] = []
        settings = self.configurations.at(directory).sparing(named)
        if settings.respect_gitignore:
            ignored = ignored.inside(directory)
        try:
            with os.scandir(directory) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            self.found.unreadable.append((directory, reason(error)))
            return inner
        for entry in entries:
            is_directory = entry.is_dir(follow_symlinks=False)
            if not is_directory and not entry.name.endswith(tuple(SUFFIXES)):
                continue
            path = Path(entry.path)
            if settings.excludes(path, is_directory=is_directory):
                continue
            if settings.respect_gitignore and ignored.match(path, is_directory=is_directory):
                continue
            if not is_directory:
                self._listed(entry, path, settings, named)
            elif self._is_new(path):
                inner.append((path, ignored))
        return inner

    def _listed(self, entry: os.DirEntry[str], path: Path, settings: Settings, named: Path) -> None:
        # Reading from a pipe or a device could block forever.
        try:
            mode = entry.stat().st_mode
        except OSError:
            mode = stat.S_IFREG  # a broken link: reading it reports that
        if stat.S_ISREG(mode):
            self._add(path, settings, named)
        elif not stat.S_ISDIR(mode) and self._is_new(path):
            self.found.unreadable.append((path, "it is not a regular file"))

    def _add(self, path: Path, settings: Settings, below: Path | None = None) -> None:
        if self._is_new(path):
            self.found.files.append(SourceFile(path, settings, below))

    def _is_new(self, path: Path) -> bool:
        new = path not in self._seen
        self._seen.add(path)
        return new


def reason(error: OSError) -> str:
    """The reason of a system error, in a few words."""
    return (error.strerror or str(error)).lower() or "unknown reason"
