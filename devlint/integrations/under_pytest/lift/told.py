"""What is test code, as pytest tells it."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

from devlint.runtime.lift import Owners


class Told:
    """Hears from pytest which files are tests, before they are imported."""

    def __init__(self, owners: Owners, root: Path) -> None:
        self._owners = owners
        self._root = root

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        """Directories that pytest was told to collect hold tests, and what helps them."""
        base = session.config.invocation_params.dir
        for argument in session.config.args:
            path = (base / argument.partition("::")[0]).resolve()
            if path.is_dir() and path != self._root and path.is_relative_to(self._root):
                self._add_directory(path, session.config.getini("python_files"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makemodule(self, module_path: Path) -> None:
        """A module of tests, and what lies beside it and below."""
        self._owners.add_tests(module_path)
        if module_path.parent != self._root:
            self._owners.add_tests(module_path.parent)

    def _add_directory(self, path: Path, patterns: list[str]) -> None:
        """A package counts only if tests lie in it: it may be the library, with its tests further below."""
        is_package = (path / "__init__.py").exists()
        if not is_package or any(
            fnmatch(each.name, pattern) for each in path.glob("*.py") for pattern in patterns
        ):
            self._owners.add_tests(path)
