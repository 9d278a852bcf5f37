"""The root of a project."""

from __future__ import annotations

import os
from pathlib import Path

_MARKS = (".git", ".devlint.toml", "devlint.toml", "pyproject.toml")


def root_of(directory: Path) -> Path:
    """The nearest directory upward with a repository or a configuration; else the directory itself."""
    for each in (directory, *directory.parents):
        if any(os.path.exists(f"{each}/{mark}") for mark in _MARKS):  # noqa: PTH110
            return each
    return directory


def leads_out(path: Path, *homes: Path) -> bool:
    """Whether the target of a path, through links, is outside of some directories."""
    real = Path(os.path.realpath(path))
    return not any(real.is_relative_to(os.path.realpath(home)) for home in homes)
