"""The files that git ignores in a directory tree."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from devlint.project.content import read_regular
from devlint.project.patterns import Patterns


class Gitignore(NamedTuple):
    """The ignore files that apply in one directory, from the outermost to the innermost."""

    files: tuple[Patterns, ...] = ()

    @classmethod
    def above(cls, directory: Path) -> Gitignore:
        """The ignore files above a directory in its repository; none outside of a repository.

        Patterns that ignore the directory itself are dropped, because the user passed it.
        """
        repository = next((d for d in (directory, *directory.parents) if _has_repository(d)), None)
        if repository is None:
            return cls()
        between = [d for d in reversed(directory.parents) if d == repository or repository in d.parents]
        found = [_read(repository / ".git" / "info" / "exclude", repository)]
        found += [_read(d / ".gitignore", d) for d in between]
        return cls(tuple(patterns.sparing(directory) for patterns in found if patterns is not None))

    def inside(self, directory: Path) -> Gitignore:
        """The ignore files that apply in a subdirectory, including its own."""
        own = _read(directory / ".gitignore", directory)
        return self if own is None else Gitignore((*self.files, own))

    def match(self, path: Path, *, is_directory: bool = False) -> bool:
        """Whether git ignores the path; the innermost file with a matching pattern decides."""
        for patterns in reversed(self.files):
            decision = patterns.decide(path, is_directory=is_directory)
            if decision is not None:
                return decision
        return False


def _has_repository(directory: Path) -> bool:
    return os.path.exists(directory / ".git")  # noqa: PTH110  # Path.exists raises where it may not look


def _read(file: Path, root: Path) -> Patterns | None:
    # Git also continues without an unreadable ignore file.
    try:
        lines = read_regular(file).decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    return Patterns(root, lines)
