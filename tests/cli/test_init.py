"""`devlint init`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from devlint.cli import main
from devlint.cli.init import template
from devlint.project.configuration import Configurations, read
from devlint.project.settings import SETTINGS, Options
from devlint.report import FORMATS

ROOT = Path(__file__).parents[2]


def test_what_is_written_changes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init"]) == 0
    assert capsys.readouterr().out.startswith("Wrote devlint.toml.\n")
    assert read(here / "devlint.toml", FORMATS) == Options()


def test_every_setting_is_there_with_its_default(tmp_path: Path) -> None:
    lines = re.findall(r"^# (([a-z-]+) = .+)$", template(), re.MULTILINE)
    assert [key for _, key in lines] == [setting.key for setting in SETTINGS]
    with_default = {setting.key for setting in SETTINGS if setting.default}
    file = tmp_path / "devlint.toml"
    file.write_text("\n".join(line for line, key in lines if key in with_default))
    written = Configurations(Options(), tmp_path, FORMATS, file).at(tmp_path)
    default = Configurations(Options(), tmp_path, FORMATS, isolated=True).at(tmp_path)
    assert written._replace(source=None, per_file_ignores=(), exclude=()) == default._replace(
        per_file_ignores=(), exclude=()
    )
    file.write_text("\n".join(line for line, _ in lines))
    assert read(file, FORMATS) is not None


@pytest.mark.parametrize("name", ["devlint.toml", ".devlint.toml", "pyproject.toml"])
def test_a_configuration_is_not_written_over(
    here: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    text = "[tool.devlint]\nfix = true\n" if name == "pyproject.toml" else "fix = true\n"
    (here / name).write_text(text)
    assert main(["init"]) == 2
    assert capsys.readouterr().err == f"error: {name} configures devlint already; nothing was written\n"
    assert [file.name for file in here.iterdir()] == [name]
    assert (here / name).read_text() == text


def test_a_file_that_configures_others_does_not_count(here: Path) -> None:
    (here / "pyproject.toml").write_text("[tool.other]\n")
    assert main(["init"]) == 0
    assert (here / "devlint.toml").exists()


@pytest.mark.usefixtures("here")
def test_the_hook_exists(capsys: pytest.CaptureFixture[str]) -> None:
    main(["init"])
    (entry,) = yaml.safe_load(capsys.readouterr().out.partition("yaml:")[2])
    there = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    assert {hook["id"] for hook in entry["hooks"]} <= there
