"""The modules of the abstract machine ask each other; whichever is imported first, it can be."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

from devlint.source import machine

PREFIX = f"{machine.__name__}."
EACH_FIRST = """
import importlib, sys
for name in sys.argv[2:]:
    for known in [known for known in sys.modules if known.startswith(sys.argv[1])]:
        del sys.modules[known]
    importlib.import_module(name)
"""


def test_each_module_can_be_the_first() -> None:
    names = [module.name for module in pkgutil.walk_packages(machine.__path__, PREFIX)]
    assert len(names) > 40
    done = subprocess.run(
        [sys.executable, "-c", EACH_FIRST, PREFIX, *names], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_rooms_are_introduced() -> None:
    rooms = {module.name for module in pkgutil.iter_modules(machine.__path__)}
    assert {name for name in rooms if f"`{name}`" not in (machine.__doc__ or "")} == set()
