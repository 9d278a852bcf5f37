"""flake8 with the plugin, as a process: it reports what `devlint check FILE` does, in its own way."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from tests import forks
from tests.cli.programs import ENVIRONMENT, Done, devlint

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))
MIXED = "import torch\n\nx = torch.ones(3, device='cuda')\ny = x + torch.ones(3){comment}\n"
FOUND = "4:9: DL102"

Flake8 = Callable[..., Done]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what an installation of devlint tells Python of its entry points."""
    folder = tmp_path_factory.mktemp("site")
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    project = toml.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    metadata = folder / f"devlint-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: devlint\nVersion: {project['version']}\n"
    )
    lines = [
        line
        for group, entries in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    (folder / "torch.py").write_text("raise AssertionError('torch was imported')\n")
    return folder


@pytest.fixture
def flake8(installed: Path, tmp_path: Path) -> Flake8:
    """Runs flake8 in the project, without its configuration of this machine; torch cannot be imported."""
    (tmp_path / "pyproject.toml").write_text("")

    def run(*arguments: str, stdin: str | None = None, where: Path = tmp_path) -> Done:
        environment = {
            **ENVIRONMENT,
            "PYTHONPATH": os.pathsep.join((str(installed), ENVIRONMENT["PYTHONPATH"])),
            "DEVLINT_CACHE_DIR": str(tmp_path / "cache"),
        }
        if stdin is None and hasattr(os, "fork"):
            return Done(*forks.run(("flake8", *arguments), where, environment))
        done = subprocess.run(
            (sys.executable, "-m", "flake8", *arguments),
            cwd=where,
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


def test_it_reports_what_a_check_of_each_file_reports(flake8: Flake8, tmp_path: Path) -> None:
    assert len(EXAMPLES) > 10
    names = [path.name for path in EXAMPLES]
    for path in EXAMPLES:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    expected = checked(tmp_path, *names)
    assert len(expected) > 10
    for jobs in ("1", "2"):
        done = flake8("--select=DL", f"--jobs={jobs}", *names)
        assert sorted(done.out.splitlines()) == sorted(expected), done.err
        assert done.code == 1


def checked(where: Path, *arguments: str) -> list[str]:
    """The findings of `devlint check`, a line each, as flake8 would write them."""
    done = devlint(where, "check", "--no-cache", "--output-format", "concise", "-q", *arguments)
    assert done.code in (0, 1), done.err
    return [line.replace("[*] ", "") for line in done.out.splitlines()]


def test_it_follows_imports(flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text("import torch\n\n\ndef noise():\n    return torch.randn(3)\n")
    (tmp_path / "train.py").write_text(
        "import torch\nfrom data import noise\n\nx = torch.ones(3, device='cuda')\nprint(x + noise())\n"
    )
    for jobs in ("1", "2"):
        done = flake8("--select=DL", f"--jobs={jobs}", "train.py", "data.py")
        assert done.out.splitlines() == checked(tmp_path, "train.py")
        assert "train.py:5:" in done.out


def test_it_stands_beside_what_flake8_reports_by_itself(flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import os\n" + MIXED.format(comment=""))
    done = flake8("train.py")
    assert [line.split()[1] for line in done.out.splitlines()] == ["F401", "DL102"]


@pytest.mark.parametrize("comment", ["  # noqa", "  # noqa: DL102", "  # noqa: DL1"])
def test_flake8_sees_to_noqa(comment: str, flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(MIXED.format(comment=comment))
    assert flake8("--select=DL", "train.py") == Done(0, "", "")
    shown = flake8("--select=DL", "--disable-noqa", "train.py")
    assert [line.split()[1] for line in shown.out.splitlines()] == ["DL102"]


def test_noqa_that_suppresses_nothing_is_reported(flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("x = 1  # noqa: DL102\n")
    assert "DL901" in flake8("--disable-noqa", "train.py").out
    (tmp_path / "train.py").write_text(MIXED.format(comment="  # noqa: DL102"))
    assert "DL901" not in flake8("--disable-noqa", "train.py").out


def test_devlint_sees_to_its_own_comments(flake8: Flake8, tmp_path: Path) -> None:
    for comment in ("  # devlint: ignore[DL102]", "  # devlint: ignore", "\n# devlint: skip-file"):
        (tmp_path / "train.py").write_text(MIXED.format(comment=comment))
        assert flake8("--disable-noqa", "train.py") == Done(0, "", ""), comment


def test_devlints_configuration_holds(flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(MIXED.format(comment=""))
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_train.py").write_text(MIXED.format(comment=""))
    for table, left in (
        ("", ["tests/test_train.py", "train.py"]),
        ("ignore = ['DL102']", []),
        ("select = ['DL2']", []),
        ("extend-exclude = ['tests']", ["train.py"]),
        ("per-file-ignores = { 'train.py' = ['DL1'] }", ["tests/test_train.py"]),
    ):
        (tmp_path / "pyproject.toml").write_text(f"[tool.devlint]\n{table}\n")
        done = flake8("--select=DL", "train.py", "tests")
        assert sorted(re.findall(r"^(.+?):\d", done.out, re.MULTILINE)) == left, (table, done)


def test_what_a_baseline_holds_is_known(flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(MIXED.format(comment=""))
    checked(tmp_path, "--write-baseline", "known.json", "train.py")
    (tmp_path / "pyproject.toml").write_text("[tool.devlint]\nbaseline = 'known.json'\n")
    assert flake8("--select=DL", "train.py") == Done(0, "", "")


def test_flake8s_selection_holds_as_well(flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(MIXED.format(comment=""))
    assert flake8("--extend-ignore=DL1", "train.py") == Done(0, "", "")


def test_standard_input(flake8: Flake8, tmp_path: Path) -> None:
    text = MIXED.format(comment="")
    assert f"stdin:{FOUND}" in flake8("-", stdin=text).out
    (tmp_path / "train.py").write_text("x = 1\n")
    assert f"train.py:{FOUND}" in flake8("--stdin-display-name=train.py", "-", stdin=text).out
    assert flake8("train.py") == Done(0, "", "")


@pytest.mark.parametrize("encode", ["utf-8-sig", "latin-1", "crlf"])
def test_files_that_are_written_otherwise(encode: str, flake8: Flake8, tmp_path: Path) -> None:
    cookie = "# coding: latin-1\n" if encode == "latin-1" else "# é\n"
    text = cookie + MIXED.format(comment="").replace("3)", "3)  # é")
    data = text.replace("\n", "\r\n").encode() if encode == "crlf" else text.encode(encode)
    (tmp_path / "train.py").write_bytes(data)
    done = flake8("--select=DL", "train.py")
    assert done.out.splitlines() == checked(tmp_path, "train.py"), done.err
    assert "DL102" in done.out


def test_flake8_says_that_a_file_is_no_python(flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("x = (\n")
    assert [line.split()[1] for line in flake8("train.py").out.splitlines()] == ["E999"]


def test_configuration_that_makes_no_sense_stops_flake8(flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("x = 1\n")
    for table, why in (("frob = 1", "`tool.devlint.frob`"), ("baseline = 'none.json'", "none.json")):
        (tmp_path / "pyproject.toml").write_text(f"[tool.devlint]\n{table}\n")
        done = flake8("train.py")
        assert done.code == 1
        assert why in done.out + done.err
        assert "Traceback" not in done.out + done.err


def test_devlint_is_imported_for_no_more_than_it_does(installed: Path, tmp_path: Path) -> None:
    """flake8 loads all plugins, whatever it is asked."""
    code = (
        "import sys, devlint.integrations.flake8_plugin;"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'torch', 'libcst', 'rich', 'flake8'}))"
    )
    path = os.pathsep.join((str(installed), ENVIRONMENT["PYTHONPATH"]))
    done = subprocess.run(
        (sys.executable, "-c", code),
        cwd=tmp_path,
        env={**ENVIRONMENT, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


def test_the_page_shows_what_flake8_prints(flake8: Flake8, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "flake8.md").read_text("utf-8")
    block = text[text.index("$ flake8 ") :].partition("```")[0]
    command, _, shown = block.partition("\n")
    (tmp_path / "train.py").write_bytes((ROOT / "docs/examples/first_mismatch_bad.py").read_bytes())
    assert flake8(*command.split()[2:]).out == shown
