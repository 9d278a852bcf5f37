"""By which frame test code entered the library, asked again and again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from textwrap import dedent
from types import FrameType
from typing import Any

import pytest

from devlint.runtime.lift import Owners
from devlint.runtime.lift.owners import Entries

LIBRARY = """
    import sys

    def asks(ask):
        ask(sys._getframe())

    def outer(ask, back=None):
        for _ in range(2):
            (lambda: asks(ask))()
            ask(sys._getframe())
        if back is not None:
            back()

    def steps(ask):
        while True:
            ask(sys._getframe())
            yield

    def resumes(generator):
        next(generator)
"""
TESTS = """
    import functools
    import lib

    def calls(ask):
        lib.asks(ask)
        lib.outer(ask)

    def called_back(ask):
        lib.outer(ask, functools.partial(lib.asks, ask))
        lib.outer(ask, lambda: lib.outer(ask))

    def resumed_by_others(ask):
        generator = lib.steps(ask)
        next(generator)
        lib.resumes(generator)
        functools.partial(lib.resumes, generator)()
        next(generator)
"""


def loaded(path: Path, text: str, **names: Any) -> Any:
    path.write_text(dedent(text), "utf-8")
    loader = SourceFileLoader(path.stem, str(path))
    spec = spec_from_loader(path.stem, loader)
    assert spec is not None
    module = module_from_spec(spec)
    vars(module).update(names)
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("pattern", ["calls", "called_back", "resumed_by_others"])
def test_what_is_known_of_frames_changes_no_answer(
    pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = loaded(tmp_path / "lib.py", LIBRARY)
    monkeypatch.setitem(sys.modules, "lib", library)
    tests = loaded(tmp_path / "test_it.py", TESTS)
    owners = Owners(tmp_path, tests=[tmp_path / "test_it.py"])
    known: Entries = {}
    asked: list[str] = []

    def ask(frame: FrameType) -> None:
        entry = owners.entry(frame)
        assert owners.entry(frame, known) is entry
        asked.append("" if entry is None else entry.f_code.co_name)

    run: Callable[[Callable[[FrameType], None]], None] = getattr(tests, pattern)
    run(ask)
    assert asked == ENTRIES[pattern]
    asked.clear()
    library.outer(ask)
    assert asked == [""] * 4


ENTRIES = {
    "calls": ["asks", *["outer"] * 4],
    "called_back": [*["outer"] * 4, "outer", *["outer"] * 4, *["outer"] * 4],
    "resumed_by_others": ["steps", "resumes", "resumes", "steps"],
}
