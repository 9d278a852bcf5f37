"""Knowing that a module has been imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from devlint.instrumentation.import_hook import ImportHook

NAME = "devlint_arrives"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / f"{NAME}.py"
    sys.modules.pop(NAME, None)


def test_it_calls_back_once_when_the_module_is_whole(module: Path) -> None:
    module.write_text("first = type(__loader__)\nlast = 2\n")
    heard: list[int] = []
    hook = ImportHook(NAME, lambda: heard.append(sys.modules[NAME].last), never)
    finders = list(sys.meta_path)
    hook.wait()
    import_module("json.tool")
    assert heard == []
    found = import_module(NAME)
    assert heard == [2]
    assert sys.meta_path == finders
    assert found.__spec__ is not None
    assert found.first is SourceFileLoader
    assert found.__loader__ is found.__spec__.loader
    import_module(NAME)
    assert heard == [2]


def test_a_module_that_fails_has_not_arrived(module: Path) -> None:
    module.write_text("1 / 0\n")
    heard: list[int] = []
    hook = ImportHook(NAME, lambda: heard.append(1), never)
    hook.wait()
    with pytest.raises(ZeroDivisionError):
        import_module(NAME)
    assert heard == []
    module.write_text("mended = True\n")
    import_module(NAME)
    assert heard == [1]


def test_it_may_be_there_already_or_nowhere(module: Path) -> None:
    assert not module.exists()
    heard: list[str] = []
    ImportHook("sys", lambda: heard.append("sys"), never).wait()
    assert heard == ["sys"]
    hook = ImportHook(NAME, lambda: heard.append(NAME), never)
    hook.wait()
    with pytest.raises(ModuleNotFoundError):
        import_module(NAME)
    hook.stop()
    hook.stop()
    assert hook not in sys.meta_path
    assert heard == ["sys"]


def test_what_lasts_for_the_import_is_over_when_it_calls_back(module: Path) -> None:
    module.write_text(f"import {__name__} as test\ntest.HEARD.append('import')\n")
    HEARD.clear()

    @contextmanager
    def during() -> Iterator[None]:
        HEARD.append("before")
        yield
        HEARD.append("after")

    ImportHook(NAME, lambda: HEARD.append("arrived"), never, during).wait()
    import_module(NAME)
    assert HEARD == ["before", "import", "after", "arrived"]


def test_who_imports_notices_no_failure_of_who_waits(module: Path) -> None:
    module.write_text("whole = True\n")
    failures: list[Exception] = []

    def fail() -> None:
        raise KeyError("devlint's own")

    ImportHook(NAME, fail, failures.append).wait()
    assert import_module(NAME).whole
    assert [str(error) for error in failures] == ['"devlint\'s own"']


def never(error: Exception) -> None:
    """Told of failures where there are to be none."""
    raise error


HEARD: list[str] = []
"""What the imported module can tell."""
