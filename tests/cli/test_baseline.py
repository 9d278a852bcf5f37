"""`--baseline` and `--write-baseline`: what is known is not shown, whatever happens around it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from devlint.cli import main
from tests.cli.conftest import passed

FILE = "known.json"


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    """The exit code, the lines of a concise report, and what was said besides."""
    code = main(["check", "--output-format", "concise", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return code, out.splitlines(), err


def write(capsys: pytest.CaptureFixture[str], *arguments: str) -> None:
    code, _, err = check(capsys, "--write-baseline", FILE, *arguments)
    assert code == 0, err


def held(file: Path) -> list[tuple[str, str, int]]:
    findings = json.loads(file.read_text("utf-8"))["findings"]
    return [(each["path"], each["code"], each["count"]) for each in findings]


def test_what_is_written_is_known_from_then_on(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("x = BUG\nSHOWN\n")
    code, out, err = check(capsys, "--write-baseline", FILE)
    assert (code, err) == (0, f"Wrote 2 findings to {FILE}.\n")
    assert out == [passed(), f"2 findings in {FILE} not shown."]
    assert check(capsys)[0] == 1
    assert check(capsys, "--baseline", FILE) == (0, out, "")
    assert check(capsys, "--baseline", FILE, "-q") == (0, [], "")


def test_only_what_is_new_is_shown_and_fails(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("def f():\n    return BUG\n")
    write(capsys)
    (here / "a.py").write_text("import os\n\n\ndef g():\n        return   BUG\n\n\nSHOWN\n")
    code, out, _ = check(capsys, "--baseline", FILE)
    assert code == 1
    assert out[:3] == [
        "a.py:8:1: DL102 SHOWN was found",
        "Found 1 finding.",
        f"1 finding in {FILE} not shown.",
    ]


def test_one_more_of_a_kind_is_new(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG\nBUG\n")
    write(capsys)
    assert held(here / FILE) == [("a.py", "DL101", 2)]
    (here / "a.py").write_text("BUG\nBUG\nBUG\n")
    assert check(capsys, "--baseline", FILE)[1][0].startswith("a.py:3:1: DL101")


@pytest.mark.parametrize("other", ["x = BUG", "RISKY"])
def test_another_line_and_another_rule_are_new(
    here: Path, capsys: pytest.CaptureFixture[str], other: str
) -> None:
    (here / "a.py").write_text("BUG\n")
    write(capsys)
    (here / "a.py").write_text(f"{other}\n")
    code, out, _ = check(capsys, "--baseline", FILE)
    assert code == 1
    assert f"1 finding in {FILE} is fixed (`--write-baseline {FILE}` takes it out)." in out


def test_the_same_line_of_another_file_is_new(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG\n")
    write(capsys)
    (here / "a.py").rename(here / "b.py")
    code, out, _ = check(capsys, "--baseline", FILE)
    assert code == 1
    assert f"1 finding in {FILE} is fixed (`--write-baseline {FILE}` takes it out)." in out


def test_what_was_not_checked_is_not_fixed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG + LIKELY\n")
    (here / "b.py").write_text("BUG + RISKY\n")
    write(capsys)
    for options, known in (
        (["a.py"], 2),
        (["--select", "DL3"], 1),
        (["--per-file-ignores", "b.py:ALL"], 2),
        (["--exclude", "b.py"], 2),
    ):
        _, out, _ = check(capsys, "--baseline", FILE, *options)
        assert out[0].startswith("All checks passed!")
        assert out[1:] == [f"{known} finding{'s' * (known > 1)} in {FILE} not shown."]
    _, out, _ = check(capsys, "--baseline", FILE, "--confidence", "certain")
    assert out[-1] == f"3 findings in {FILE} not shown."
    (here / "b.py").write_text("x = (\n")
    assert check(capsys, "--baseline", FILE)[1][-1] == f"2 findings in {FILE} not shown."


def test_writing_again_keeps_what_was_not_checked(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (here / name).write_text("BUG\nRISKY\n")
    write(capsys)
    (here / "a.py").write_text("SHOWN\n")
    (here / "c.py").unlink()
    write(capsys, "a.py", "--select", "DL1")
    assert held(here / FILE) == [
        ("a.py", "DL102", 1),
        ("a.py", "DL301", 1),
        ("b.py", "DL101", 1),
        ("b.py", "DL301", 1),
    ]
    write(capsys)
    assert held(here / FILE) == [("a.py", "DL102", 1), ("b.py", "DL101", 1), ("b.py", "DL301", 1)]


def test_writing_again_changes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG + RISKY + SHOWN\nBUG\n")
    write(capsys)
    before = (here / FILE).read_bytes()
    write(capsys)
    assert (here / FILE).read_bytes() == before


def test_what_is_less_sure_is_not_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG\nUNSURE\n")
    write(capsys)
    assert held(here / FILE) == [("a.py", "DL101", 1)]


def test_a_file_that_cannot_be_read_is_never_known(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("x = (\n")
    assert check(capsys, "--write-baseline", FILE)[0] == 1
    assert check(capsys, "--baseline", FILE)[0] == 1


def test_paths_are_relative_to_the_file(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "sub").mkdir()
    (here / "sub" / "a.py").write_text("BUG\n")
    write(capsys)
    monkeypatch.chdir(here / "sub")
    assert check(capsys, "--baseline", f"../{FILE}")[0] == 0
    monkeypatch.chdir(here.parent)
    assert check(capsys, "--baseline", f"work/{FILE}", "work")[0] == 0
    here.rename(here.parent / "elsewhere")
    assert check(capsys, "--baseline", f"elsewhere/{FILE}", "elsewhere")[0] == 0


def test_the_configuration_names_one(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "devlint.toml").write_text(f'baseline = "{FILE}"\n')
    (here / "sub").mkdir()
    (here / "sub" / "a.py").write_text("BUG\n")
    write(capsys)
    monkeypatch.chdir(here / "sub")
    assert check(capsys)[0] == 0
    assert check(capsys, "--no-baseline")[0] == 1
    code = main(["check", "--show-settings"])
    out = capsys.readouterr().out
    assert code == 0
    assert f'\nbaseline = "{FILE}"\n' in out
    main(["check", "--show-settings", "--no-baseline"])
    assert "baseline" not in capsys.readouterr().out


def test_known_findings_are_not_changed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG\n")
    write(capsys)
    (here / "a.py").write_text("BUG\nx = BUG\n")
    assert check(capsys, "--baseline", FILE, "--fix")[0] == 0
    assert (here / "a.py").read_text() == "BUG\nx = OK\n"
    (here / "a.py").write_text("BUG\nx = BUG\n")
    assert check(capsys, "--baseline", FILE, "--add-ignore")[0] == 0
    assert (here / "a.py").read_text() == "BUG\nx = BUG  # devlint: ignore[DL101]\n"


def test_notebooks(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def notebook(*cells: str) -> None:
        data = {"cells": [{"cell_type": "code", "source": [cell]} for cell in cells]}
        (here / "n.ipynb").write_text(json.dumps(data))

    notebook("x = 1", "BUG")
    write(capsys)
    notebook("import os", "x = 1", "y = 2\nBUG", "SHOWN")
    _, out, _ = check(capsys, "--baseline", FILE)
    assert out[0].startswith("n.ipynb:cell 4:1:1: DL102")
    assert out[1] == "Found 1 finding."


RECORD = {"path": "a.py", "code": "DL101", "text": "BUG", "flow": "", "count": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a baseline of devlint, or is damaged: Expecting value: line 1"),
        (
            b'{\n<<<<<<< HEAD\n  "version": 1',
            "or is damaged: Expecting property name enclosed in double quotes: line 2",
        ),
        (b"\xff\xfe", "is not a baseline of devlint: it is not UTF-8 text"),
        (b"[]", "is not a baseline of devlint"),
        (b"[" * 100_000, "is not a baseline of devlint: it is nested too deeply"),
        (b'{"version": 2, "findings": []}', "has version 2; this devlint reads version 1"),
        (b'{"findings": []}', "has version null"),
        *(
            (
                json.dumps({"version": 1, "findings": [RECORD, {**RECORD, **wrong}]}).encode(),
                "entry 2 of `findings` is not a finding",
            )
            for wrong in ({"count": 0}, {"count": True}, {"count": "1"}, {"path": 1}, {"flow": None})
        ),
        (b'{"version": 1, "findings": [1]}', "entry 1 of `findings` is not a finding"),
    ],
)
def test_damage_is_one_clear_line_and_is_not_written_over(
    here: Path, capsys: pytest.CaptureFixture[str], content: bytes, message: str
) -> None:
    (here / "a.py").write_text("BUG\n")
    (here / FILE).write_bytes(content)
    for option in ("--baseline", "--write-baseline"):
        code, out, err = check(capsys, option, FILE)
        assert (code, out) == (2, [])
        assert err.startswith(f"error: {FILE}: ")
        assert message in err
        assert err.count("\n") == 1
        assert (here / FILE).read_bytes() == content


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--baseline", "none.json"], "none.json: does not exist; `--write-baseline` creates it"),
        (["--baseline", "."], "cannot be read: is a directory"),
        (["--write-baseline", "none/x.json"], "--write-baseline: none/x.json: the directory does not exist"),
        (["--write-baseline", "a.py"], "is a source file and would be overwritten"),
        (["--write-baseline", FILE, "--baseline", FILE], "--write-baseline and --baseline"),
        (["--write-baseline", FILE, "--diff"], "--write-baseline and --diff"),
        (["--write-baseline", FILE, "--add-ignore"], "--write-baseline and --add-ignore"),
        (["--write-baseline", FILE, "-"], "--write-baseline and standard input"),
    ],
)
def test_bad_use(here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    (here / "a.py").write_text("BUG\n")
    code, out, err = check(capsys, *arguments)
    assert (code, out) == (2, [])
    assert message in err
    assert err.count("\n") == 1


def test_nothing_is_written_unless_everything_was_checked(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text("BUG\n")
    write(capsys)
    before = (here / FILE).read_bytes()
    (here / "b.py").write_text("CRASH\n")
    code, _, err = check(capsys, "--write-baseline", FILE)
    assert code == 2
    assert f"error: {FILE} was not written, because not everything was checked\n" in err
    assert (here / FILE).read_bytes() == before


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid"), reason="modes of files are POSIX's")
def test_writing_is_atomic_and_keeps_the_mode(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a.py").write_text("BUG\n")
    mask = os.umask(0o027)
    try:
        write(capsys)
    finally:
        os.umask(mask)
    assert (here / FILE).stat().st_mode & 0o777 == 0o640
    before = (here / FILE).read_bytes()
    (here / "a.py").write_text("SHOWN\n")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    code, _, err = check(capsys, "--write-baseline", FILE)
    assert code == 2
    assert err == f"error: --write-baseline: {FILE}: no space left on device\n"
    assert (here / FILE).read_bytes() == before
    assert sorted(each.name for each in here.iterdir() if "known" in each.name) == [FILE]
    monkeypatch.undo()


def test_standard_input_is_held_against_it(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a.py").write_text("BUG\n")
    write(capsys)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\nBUG\nSHOWN\n")))
    _, out, _ = check(capsys, "--baseline", FILE, "-", "--stdin-filename", "a.py")
    assert out[:2] == ["a.py:3:1: DL102 SHOWN was found", "Found 1 finding."]
