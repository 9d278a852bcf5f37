"""Tests of the installed package to which a file belongs."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import numpy as np
import pytest

from devlint.runtime.places.installed import package_of

LIBRARY = Path(sysconfig.get_paths()["purelib"])


@pytest.mark.parametrize(
    ("file", "package"),
    [
        (LIBRARY / "acme" / "models" / "net.py", "acme"),
        (LIBRARY / "acme.py", "acme"),
        (Path(np.__file__), "numpy"),
        (Path(__file__), ""),
        (LIBRARY.with_name("site-packages-of-mine") / "acme.py", ""),
    ],
)
def test_a_file(file: Path, package: str) -> None:
    assert package_of(str(file)) == package


def test_code_without_a_file() -> None:
    assert package_of("<string>") == ""
