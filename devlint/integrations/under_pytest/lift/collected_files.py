"""Which files are test code, as reported by pytest."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

from devlint.runtime.lift import Owners


class CollectedFiles:
    """Learns from pytest which files are tests, before they are imported."""

    def __init__(self, owners: Owners, config: pytest.Config) -> None:
        self._owners = owners
        self._root = config.rootpath
        self._patterns: list[str] = config.getini("python_files")

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        """Directories that pytest collects contain tests and their helpers."""
        base = session.config.invocation_params.dir
        for argument in session.config.args:
            path = (base / argument.partition("::")[0]).resolve()
            if path.is_dir() and path != self._root and path.is_relative_to(self._root):
                self._add_directory(path)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makemodule(self, module_path: Path) -> None:
        """Add a test module with its directory, unless that contains modules of the library."""
        self._owners.add_tests(module_path)
        directory = module_path.parent
        if directory != self._root and not self._holds_library(directory):
            self._owners.add_tests(directory)

    def _holds_library(self, directory: Path) -> bool:
        """Whether a directory of the package under test contains modules that are not tests."""
        return self._owners.is_in_package(directory) and not all(
            each.name == "__init__.py" or self._is_test(each) for each in directory.glob("*.py")
        )

    def _is_test(self, path: Path) -> bool:
        return any(fnmatch(path.name, pattern) for pattern in self._patterns)

    def _add_directory(self, path: Path) -> None:
        """Add a directory. A package counts only if it directly contains tests, because it may be the
        library."""
        is_package = (path / "__init__.py").exists()
        has_tests = any(map(self._is_test, path.glob("*.py")))
        if not self._holds_library(path) and (has_tests or not is_package):
            self._owners.add_tests(path)
