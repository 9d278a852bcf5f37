"""Which installed package a file belongs to: what a program uses and its author does not change."""

from __future__ import annotations

import os
import site
import sysconfig
from functools import cache


@cache
def package_of(filename: str) -> str:
    """The name under which an installed package's file is imported, its outermost part; empty for all others.

    What is installed in place (`pip install -e`) lies elsewhere, and is the author's own.
    """
    for folder in _folders():
        if filename.startswith(folder):
            return filename[len(folder) :].partition(os.sep)[0].removesuffix(".py")
    return ""


@cache
def _folders() -> tuple[str, ...]:
    """Where this Python installs packages."""
    paths = sysconfig.get_paths()
    folders = {paths["purelib"], paths["platlib"], site.getusersitepackages(), *site.getsitepackages()}
    return tuple(f"{folder}{os.sep}" for folder in sorted(folders, key=len, reverse=True))
