"""The modules of the data flow need each other; whichever is imported first, it can be."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

from devlint.source import flow

PREFIX = f"{flow.__name__}."
EACH_FIRST = """
import importlib, sys
for name in sys.argv[2:]:
    for known in [known for known in sys.modules if known.startswith(sys.argv[1])]:
        del sys.modules[known]
    importlib.import_module(name)
"""


def test_each_module_can_be_the_first() -> None:
    names = [module.name for module in pkgutil.walk_packages(flow.__path__, PREFIX)]
    assert len(names) > 70
    done = subprocess.run(
        [sys.executable, "-c", EACH_FIRST, PREFIX, *names], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_folders_are_introduced() -> None:
    folders = {module.name for module in pkgutil.iter_modules(flow.__path__)}
    assert {name for name in folders if f"`{name}`" not in (flow.__doc__ or "")} == set()
