"""What several tests of the project's files share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that may not be looked into, as only users other than root know them."""
    directory = tmp_path / "closed"
    directory.mkdir()
    monkeypatch.setattr(os, "scandir", _refusing(os.scandir, lambda path: path == directory))
    for module, name in ((Path, "read_bytes"), (Path, "stat"), (os, "stat"), (os, "lstat")):
        refusing = _refusing(getattr(module, name), lambda path: directory in path.parents)
        monkeypatch.setattr(module, name, refusing)
    return directory


def _refusing(real: Callable[..., object], refused: Callable[[Path], bool]) -> Callable[..., object]:
    def refuse(path: object, *arguments: object, **more: object) -> object:
        if isinstance(path, str | Path) and refused(Path(path)):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *arguments, **more)

    return refuse
