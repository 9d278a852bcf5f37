"""Cells under `%%devlint`."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

import devlint

CELL = "x = torch.ones(3, device='cuda')\nfor _ in range(20):\n    y = x.sum().item()\nx + torch.ones(3)\n"


class Shell:
    """Runs cells as IPython does: errors are shown, and the text of a cell is kept."""

    def __init__(self) -> None:
        self.magics: dict[str, Callable[[str, str], None]] = {}
        self.errors: list[BaseException] = []
        self.namespace: dict[str, object] = {"torch": torch}

    def register_magic_function(
        self, func: Callable[[str, str], None], magic_kind: str, magic_name: str
    ) -> None:
        assert magic_kind == "cell"
        self.magics[magic_name] = func

    def run_cell(self, raw_cell: str) -> None:
        name = "<ipython-input-1-0123456789ab>"
        linecache.cache[name] = (len(raw_cell), None, raw_cell.splitlines(keepends=True), name)
        try:
            exec(compile(raw_cell, name, "exec"), self.namespace)
        except Exception as error:
            self.errors.append(error)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    made = Shell()
    devlint.load_ipython_extension(made)
    yield made
    linecache.clearcache()


def test_a_cell_is_observed_and_simulated(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.magics["devlint"]("--simulate cuda", CELL)
    out = capsys.readouterr().out
    assert "<ipython-input-1-0123456789ab>:3:9: DL201 reading `x.sum()` makes the host wait" in out
    assert "3 |     y = x.sum().item()" in out
    assert "DL102 `torch.ones` defaults to cpu" in out
    assert [type(error) for error in shell.errors] == [RuntimeError]
    assert shell.namespace["y"] == 3.0
    assert not torch.cuda.is_available()


def test_a_cell_that_goes_on(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.magics["devlint"]("--simulate cuda --mismatch log --output-format concise", CELL)
    assert not shell.errors
    assert capsys.readouterr().out.splitlines()[2] == "Found 2 findings."


@pytest.mark.parametrize("line", ["--simulate tpu", "--devices", "--devices 1000", "'", "--mismatch often"])
def test_what_makes_no_sense_is_said(shell: Shell, capsys: pytest.CaptureFixture[str], line: str) -> None:
    shell.magics["devlint"](line, "ran = True")
    assert capsys.readouterr().err.startswith("error: %%devlint: ")
    assert "ran" not in shell.namespace


def test_under_ipython_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interactive = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    shell = interactive.instance()
    try:
        shell.run_cell("%load_ext devlint")
        shell.run_cell(f"%%devlint --simulate cuda\nimport torch\n{CELL}")
    finally:
        interactive.clear_instance()
    out = capsys.readouterr().out
    assert "DL201 reading `x.sum()` makes the host wait" in out
    assert "y = x.sum().item()" in out
