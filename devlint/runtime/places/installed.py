"""The installed package of a file: code that the program uses and its author does not change."""

from __future__ import annotations

import os
import site
import sysconfig
from functools import cache


@cache
def package_of(filename: str) -> str:
    """The top-level name by which a file of an installed package is imported; empty for other files.

    Editable installations (`pip install -e`) are elsewhere, and count as the author's own code.
    """
    for folder in _folders():
        if filename.startswith(folder):
            return filename[len(folder) :].partition(os.sep)[0].removesuffix(".py")
    return ""


@cache
def _folders() -> tuple[str, ...]:
    """The directories in which this Python installs packages."""
    paths = sysconfig.get_paths()
    folders = {paths["purelib"], paths["platlib"], site.getusersitepackages(), *site.getsitepackages()}
    return tuple(f"{folder}{os.sep}" for folder in sorted(folders, key=len, reverse=True))
