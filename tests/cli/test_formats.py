"""Each format from the command line, on real programs, as other programs read it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from junitparser import JUnitXml
from sarif.loader import load_sarif_file

from devlint.cli import main
from tests.cli.programs import ROOT, devlint

EXAMPLES = ROOT / "docs" / "examples"


def written(where: Path, name: str) -> str:
    """What a format says of the folder; all analyze it once, because they share its cache."""
    done = devlint(where, "check", "--cache-dir", str(where.parent / "cache"), "--output-format", name)
    assert (done.code, done.err) == (1, "")
    return done.out


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs for those who meet a bug for the first time, and one as a notebook."""
    here = tmp_path_factory.mktemp("project") / "with a blank"
    shutil.copytree(EXAMPLES, here)
    code = (here / "logging_loop_bad.py").read_text("utf-8").splitlines(keepends=True)
    (here / "loop.ipynb").write_text(json.dumps({"cells": [{"cell_type": "code", "source": code}]}))
    return here


@pytest.fixture(scope="module")
def expected(project: Path) -> list[tuple[str, str, int]]:
    """Code, path and line of all findings; of those in a notebook, the first line."""
    return [
        (
            each["code"],
            Path(each["filename"]).relative_to(project).as_posix(),
            each["location"]["row"] if each["cell"] is None else 1,
        )
        for each in json.loads(written(project, "json"))
    ]


def test_sarif(project: Path, expected: list[tuple[str, str, int]], tmp_path: Path) -> None:
    text = written(project, "sarif")
    validate = pytest.importorskip("sarif_kit.validate", reason="sarif-kit needs Python 3.11")
    assert not validate.validation_errors(json.loads(text))
    (tmp_path / "all.sarif").write_text(text, "utf-8")
    records = load_sarif_file(str(tmp_path / "all.sarif")).get_records()
    assert sorted((each["Code"], each["Location"], each["Line"]) for each in records) == sorted(expected)


def test_gitlab_says_what_a_converter_makes_of_sarif(project: Path, tmp_path: Path) -> None:
    (tmp_path / "all.sarif").write_text(written(project, "sarif"), "utf-8")
    converted = tmp_path / "converted.json"
    command = (sys.executable, "-m", "sarif", "codeclimate", "--output", converted, tmp_path / "all.sarif")
    subprocess.run(command, check=True, capture_output=True)

    def essentials(violations: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
        places = ((each, each["location"]) for each in violations)
        return sorted(
            (each["check_name"], each["severity"], place["path"], place["lines"]["begin"])
            for each, place in places
        )

    own = json.loads(written(project, "gitlab"))
    assert essentials(own) == essentials(json.loads(converted.read_text("utf-8")))
    assert len({each["fingerprint"] for each in own}) == len(own) > 10


def test_junit(project: Path, expected: list[tuple[str, str, int]]) -> None:
    xml = JUnitXml.fromstring(written(project, "junit").encode("ascii"))
    found = [(case.name.split()[0], case._elem.get("file")) for suite in xml for case in suite]
    assert found == [(code, path) for code, path, _ in expected]
    assert xml.failures == len(expected)


@pytest.mark.parametrize("name", ["github", "azure"])
def test_commands(name: str, project: Path, expected: list[tuple[str, str, int]]) -> None:
    lines = written(project, name).splitlines()
    assert len(lines) == len(expected)
    for line, (code, path, _) in zip(lines, expected, strict=True):
        assert code in line
        assert path in line


def test_rdjson(project: Path, expected: list[tuple[str, str, int]]) -> None:
    diagnostics = json.loads(written(project, "rdjson"))["diagnostics"]
    found = [(each["code"]["value"], each["location"]["path"]) for each in diagnostics]
    assert found == [(code, path) for code, path, _ in expected]


@pytest.mark.parametrize("name", ["sarif", "gitlab"])
def test_fingerprints_stay_as_lines_move(name: str, tmp_path: Path) -> None:
    text = (EXAMPLES / "logging_loop_bad.py").read_text("utf-8")

    def fingerprints(text: str) -> list[str]:
        (tmp_path / "train.py").write_text(text, "utf-8")
        found = json.loads(written(tmp_path, name))
        if name == "gitlab":
            return [each["fingerprint"] for each in found]
        return [each["partialFingerprints"]["devlint/v1"] for each in found["runs"][0]["results"]]

    before = fingerprints(text)
    assert fingerprints(f"# a comment\n\n\n{text}\n\ndef unrelated():\n    pass\n") == before
    changed = fingerprints(text.replace("loss.item()", "float(loss)"))
    assert len(set(before) - set(changed)) == 1


@pytest.mark.parametrize("name", ["json", "sarif", "gitlab", "rdjson"])
def test_nothing_stands_beside_what_programs_read(
    name: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text("BUG + SHOWN\n")
    assert main(["check", "--fix", "--show-fixes", "--output-format", name]) == 1
    out, err = capsys.readouterr()
    json.loads(out)
    assert err == "Fixed 1 finding:\n- a.py:\n    1 DL101\n\n"


@pytest.mark.parametrize("options", [(), ("--fix", "--show-fixes"), ("--diff",), ("--add-ignore",)])
@pytest.mark.parametrize("name", ["github", "full", "concise", "azure"])
def test_no_path_begins_a_command(
    name: str, options: tuple[str, ...], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file, text in (("a\n::error::b.py", "BUG + SHOWN\n"), ("c\n::error::d.py", "x = (\n")):
        (here / file).write_text(text)
    main(["check", ".", "missing\n::error::e.py", "--output-format", name, *options])
    out, err = capsys.readouterr()
    assert "missing" in err
    assert not any(line.startswith("::error::") for line in (out + err).splitlines())
