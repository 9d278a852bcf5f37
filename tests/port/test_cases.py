"""Each program of the Markdown files becomes what stands there, and has the same values on any device."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
import torch

import devlint
from devlint.cli import main
from devlint.port import port
from devlint.project.modules import Modules
from tests.port.cases import Case, cases

CASES = cases()
RUN = [case for case in CASES if not case.left]


def named(case: Case) -> str:
    return case.name


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a program lies and is run."""
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(files: dict[str, str], folder: Path) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def ported(files: dict[str, str], folder: Path) -> tuple[dict[str, str], str]:
    """The files that change, and the places that stay."""
    write(files, folder)
    done = port({str(folder / name): text for name, text in files.items()}, Modules())
    texts = {str(Path(path).relative_to(folder)): text for path, text in done.texts.items()}
    left = [f"{Path(each.path).relative_to(folder)}:{each.line}: {each.reason}\n" for each in done.left]
    return texts, "".join(left)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_it_becomes_what_stands_there(case: Case, folder: Path) -> None:
    texts, left = ported(case.before, folder)
    assert texts == case.ported
    assert left == case.left


@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_second_time_changes_nothing(case: Case, folder: Path) -> None:
    texts, left = ported(case.after, folder)
    assert texts == {}
    assert left.count("\n") == case.left.count("\n")


@pytest.mark.parametrize("case", RUN, ids=named)
def test_it_runs_with_the_same_values(
    case: Case, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the CPU and on simulated devices after it, as on simulated devices before."""
    write(case.after, folder)
    on_cpu = printed(case, folder, capsys, monkeypatch)
    with devlint.simulate("cuda"):
        simulated = printed(case, folder, capsys, monkeypatch)
    write(case.before, folder)
    with devlint.simulate("cuda"):
        before = printed(case, folder, capsys, monkeypatch)
    assert on_cpu
    assert on_cpu == simulated == before


@pytest.mark.parametrize("case", RUN, ids=named)
def test_no_rule_of_portability_reports_it(
    case: Case, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(case.after, folder)
    assert main(["check", "--no-cache", "--select", "DL4", "-q", "."]) == 0, capsys.readouterr().out


def printed(
    case: Case, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> str:
    """What a program prints, run as `python` runs it."""
    known, path = set(sys.modules), [str(folder), *sys.path]
    with monkeypatch.context() as context:
        context.setattr(sys, "argv", [case.start])
        context.setattr(sys, "path", path)
        context.setattr(sys, "dont_write_bytecode", True)
        torch.manual_seed(0)
        default = torch.get_default_device()
        try:
            # Torch's own test utilities, which other tests import, forbid programs to set flags of cuDNN.
            with torch.backends.__allow_nonbracketed_mutation():
                runpy.run_path(str(folder / case.start), run_name="__main__")
        finally:
            torch.set_default_device(None if default.type == "cpu" else default)
            for name in set(sys.modules) - known:
                if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
                    del sys.modules[name]
    return capsys.readouterr().out
