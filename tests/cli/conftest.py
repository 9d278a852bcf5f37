"""A directory to run in, with the stand-in for the analysis."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from devlint.report.amounts import count
from devlint.rules import registry
from tests.pipeline.conftest import stand_in

__all__ = ["here", "passed", "stand_in"]


def passed(files: int = 1, rules: int | None = None) -> str:
    """What is said where nothing was found; with the rules that are on by default, if not with so many."""
    known = set(registry.codes()) - registry.ONLY_IN_A_RUN
    on = len(registry.default_codes()) if rules is None else rules
    checked = f"Checked {count(files, 'file')} with {on} of {len(known)} rules"
    return f"All checks passed! {checked} (`--extend-select ALL` turns on the rest)."


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stand_in: None) -> Path:  # noqa: ARG001
    """The working directory, empty, without configuration above it and without colours."""
    (tmp_path / "devlint.toml").write_text("")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return work


@pytest.fixture
def interruptible() -> Iterator[None]:
    """The commands started here can be interrupted, also where a shell has started the tests in the
    background: what ignores an interruption hands that down."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
