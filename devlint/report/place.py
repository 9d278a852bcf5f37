"""Places and paths as text."""

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
    """An absolute path, for programs in other directories. Standard input (`-`) and generated code
    (`<string>`) have none."""
    return path if path == "-" or path.startswith("<") else os.path.abspath(path)  # noqa: PTH100  # resolve() would follow links


def relative(path: str) -> str:
    """A path relative to the working directory, with slashes, for services that know paths in a repository.
    It stays absolute if the file is elsewhere."""
    return visible(PurePath(path).as_posix())


def cell_of(site: Site) -> str:
    """`cell 2, line 31: ` in a notebook, because services only know the lines of its JSON; else empty."""
    return "" if site.cell is None else f"cell {site.cell}, line {site.line}: "
