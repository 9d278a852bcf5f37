"""What programs of some years ago use of SciPy and PyYAML, and what is gone since."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

MODULES = {
    "scipy.sparse.linalg.eigen": "scipy.sparse.linalg",
    "scipy.sparse.linalg.eigen.arpack": "scipy.sparse.linalg",
}
"""Modules that are gone, each with the one that has their functions now."""


def install() -> None:
    """Give it back, where the packages are installed."""
    if find_spec("yaml"):
        yaml = import_module("yaml")
        for reading in (yaml.load, yaml.load_all):
            reading.__defaults__ = (yaml.FullLoader,)
    if find_spec("scipy"):
        for name, successor in MODULES.items():
            module = ModuleType(name)
            module.__getattr__ = partial(getattr, import_module(successor))  # type: ignore[method-assign]
            sys.modules[name] = module
