"""How a place is written."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING

from devlint.model.visible import visible, visible_start

if TYPE_CHECKING:
    from devlint.model import Site


def place(site: Site) -> str:
    """`train.py:31:12`, and for a notebook `train.ipynb:cell 2:31:12`, as Ruff writes them."""
    cell = "" if site.cell is None else f"cell {site.cell}:"
    return f"{visible_start(site.path)}:{cell}{site.line}:{site.column}"


def absolute(path: str) -> str:
    """A path for other programs, which may run elsewhere. Standard input, `-`, has none, nor has code that a
    program made, `<string>`."""
    return path if path == "-" or path.startswith("<") else os.path.abspath(path)  # noqa: PTH100  # resolve() would follow links


def relative(path: str) -> str:
    """A path for services that know a repository by the paths in it, with slashes. It stays absolute where
    the file does not lie below the working directory."""
    return visible(PurePath(path).as_posix())


def cell_of(site: Site) -> str:
    """`cell 2, line 31: ` in a notebook, of which services know the lines of its JSON alone; else nothing."""
    return "" if site.cell is None else f"cell {site.cell}, line {site.line}: "
