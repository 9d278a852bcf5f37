"""Tests that the benchmarks run, and of their output. No test depends on times."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.benchmarks import check_speed, commands, fetch_corpus
from tests.benchmarks.corpus import read
from tests.benchmarks.stages import STAGES

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture(autouse=True)
def _keep_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests that follow may use every core."""
    monkeypatch.setattr(check_speed, "_bind_to_one_core", lambda: None)


def test_every_file_and_every_stage_is_measured(tmp_path: Path) -> None:
    for number, program in enumerate(sorted(EXAMPLES.glob("*_bad.py"))):
        (tmp_path / f"{number}.py").write_bytes(program.read_bytes())
    (tmp_path / "plain.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("import torch\ndef\n")
    (tmp_path / "latin.py").write_bytes(b"'\xe9'\n")
    programs = read(tmp_path, None, 0)
    result = check_speed.measure(programs)
    measured = {file.program.path.name for file in result.torch}
    assert {file.program.path.name for file in result.others} >= {"plain.py"}
    assert [program.path.name for program in result.refused] == ["broken.py"]
    assert len(result.torch) + len(result.others) + len(result.refused) == len(programs)
    assert "latin.py" not in measured
    assert all(file.parse > 0 and file.check > 0 for file in result.torch)
    assert result.stages.keys() == STAGES.keys()
    assert all(spent > 0 for spent in result.stages.values())
    assert sum(result.stages.values()) < sum(file.check for file in result.torch) + 0.1


def test_the_report_has_figures_for_both_and_for_each_stage(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_speed.main([str(EXAMPLES), "--files", "6"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^  libcst\.parse_module +\d+\.\d\d s$", printed, re.MULTILINE)
    assert re.search(r"^  devlint's check +\d+\.\d\d s$", printed, re.MULTILINE)
    assert len(re.findall(r"^  ratio +\d+\.\d\d\b", printed, re.MULTILINE)) == 2
    for stage in STAGES:
        assert re.search(rf"^  {stage} +-?\d+\.\d\d s +-?\d+\.\d{{3}}$", printed, re.MULTILINE)


def test_the_choice_of_files_follows_the_seed() -> None:
    chosen = [program.path for program in read(EXAMPLES, 5, 1)]
    assert chosen == [program.path for program in read(EXAMPLES, 5, 1)]
    assert len(chosen) == 5
    assert chosen != [program.path for program in read(EXAMPLES, 5, 2)]


@pytest.mark.parametrize("arguments", [[], ["no/such/directory"]])
def test_without_a_corpus_one_line_says_how_to_get_one(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_speed.main(arguments) == 2
    assert re.fullmatch(r"no corpus: .*fetch_corpus.*\n", capsys.readouterr().err)


def test_a_corpus_without_torch_gives_no_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "plain.py").write_text("x = 1\n")
    assert check_speed.main([str(tmp_path)]) == 0
    assert re.fullmatch(r"no file below .* imports torch; .*\n", capsys.readouterr().out)


def test_of_a_wheel_the_python_files_are_unpacked(tmp_path: Path) -> None:
    wheel = tmp_path / "package.whl"
    with ZipFile(wheel, "w") as archive:
        archive.writestr("package/__init__.py", "x = 1\n")
        archive.writestr("package/data.bin", "no Python")
    fetch_corpus.unpack(wheel, tmp_path / "home")
    files = [path.relative_to(tmp_path) for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert files == [Path("home/package/__init__.py")]


def test_files_are_measured_by_themselves_and_among_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "helper.py").write_text("import torch\n\ndef f():\n    return torch.ones(3)\n")
    (tmp_path / "user.py").write_text("import torch\nfrom helper import f\nx = f().cuda()\n")
    (tmp_path / "broken.py").write_text("import torch\ndef\n")
    assert check_speed.main([str(tmp_path), "--together"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("3 files;")
    for name in ("each file by itself", "among the others", "libcst.parse_module"):
        assert re.search(rf"^  {name} +\d+\.\d\d s +\d+\.\d\d +\d+\.\d\d$", printed, re.MULTILINE)


def test_packages_are_measured_as_commands_check_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "helper.py").write_text("import torch\n\ndef f():\n    return torch.ones(3)\n")
        (tmp_path / name / "user.py").write_text("import torch\nfrom helper import f\nf() + f().cuda()\n")
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "plain.py").write_text("x = 1\n")
    assert check_speed.main([str(tmp_path), "--whole"]) == 0
    printed = capsys.readouterr().out
    figures = r"\d+\.\d\d s +\d+\.\d\d s +\d+\.\d\d"
    for name in ("one", "two"):
        assert re.search(rf"^{name} +2 +7 +{figures} +[1-9]\d*$", printed, re.MULTILINE)
    assert re.search(rf"^all +4 +14 +{figures} +[1-9]\d*$", printed, re.MULTILINE)
    assert re.search(r"^median of packages \d+\.\d\d$", printed, re.MULTILINE)
    assert "plain" not in printed


@pytest.mark.skipif(
    not hasattr(os, "posix_spawnp"), reason="commands are measured by what POSIX says of them"
)
def test_whole_commands_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "ROUNDS", 1)
    for number, program in enumerate(sorted(EXAMPLES.glob("*_bad.py"))[:4]):
        (tmp_path / f"{number}.py").write_bytes(program.read_bytes())
    assert check_speed.main([str(tmp_path), "--commands", "--files", "3"]) == 0
    printed = capsys.readouterr().out
    for name in (
        "libcst.parse_module", "ast.parse", "devlint, cold", "devlint, cold, two processes", "devlint, warm",
        "devlint, one file changed", "python -c pass", "import LibCST and parse it",
    ):  # fmt: skip
        figures = r"\d+\.\d+ s +\d+\.\d\d +\d+\.\d+ s +\d+\.\d\d +\d+ MiB"
        assert re.search(rf"^  {name} +{figures}$", printed, re.MULTILINE)


def test_a_command_that_fails_is_not_measured(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="answers 2"):
        commands.run([sys.executable, "-c", "raise SystemExit(2)"], tmp_path)
