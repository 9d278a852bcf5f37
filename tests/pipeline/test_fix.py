"""Fixing files: until nothing is left, keeping all else, and never leaving a broken file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devlint.pipeline.execution.run import check_file
from devlint.pipeline.files.write import ChangedFileError, replace_file
from devlint.pipeline.session.task import FileChange, FileOutcome, Task
from devlint.project.configuration import Configurations
from devlint.project.discover import SourceFile
from devlint.project.settings import Options
from devlint.report import FORMATS

pytestmark = pytest.mark.usefixtures("stand_in")

FIX = Task(FileChange.FIX)
UNSAFE = Task(FileChange.FIX, unsafe=True)


def check(path: Path, task: Task = FIX, **options: object) -> FileOutcome:
    settings = Configurations(Options(**options), path.parent, FORMATS, isolated=True).at(path.parent)  # type: ignore[arg-type]
    return check_file(SourceFile(path, settings), path.name, task)


def fixed(path: Path, data: bytes | str, task: Task = FIX) -> bytes:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    assert check(path, task).failure == ""
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.py"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("BUG\n", "OK\n"),
        ("BUG + BUG\n", "OK + OK\n"),
        ("NESTED\n", "OK\n"),
        ("SHOWN + RISKY\n", "SHOWN + RISKY\n"),
        ("BUG  # devlint: ignore[DL101]\n", "BUG  # devlint: ignore[DL101]\n"),
        ("x  # devlint: ignore[DL101]\nBUG\n", "x\nOK\n"),
        ("BUG; BUG  # noqa: DL101\nBUG\n", "BUG; BUG  # noqa: DL101\nOK\n"),
        # What only a fix has made useless goes too.
        ("# devlint: skip-file\nBUG\n", "# devlint: skip-file\nBUG\n"),
    ],
)
def test_safe_fixes(path: Path, before: str, after: str) -> None:
    assert fixed(path, before).decode() == after


@pytest.mark.parametrize(
    ("threshold", "after"),
    [
        ("certain", "OK + LIKELY + UNSURE\n"),
        ("likely", "OK + OK + UNSURE\n"),
        ("possible", "OK + OK + OK\n"),
    ],
)
def test_what_is_not_sure_enough_is_left(path: Path, threshold: str, after: str) -> None:
    path.write_text("BUG + LIKELY + UNSURE\n")
    outcome = check(path, FIX, confidence=threshold)
    assert (outcome.failure, path.read_text(), outcome.findings) == ("", after, [])


def test_what_is_not_sure_enough_is_not_ignored(path: Path) -> None:
    path.write_text("LIKELY\nUNSURE\n")
    outcome = check(path, Task(FileChange.IGNORE))
    assert path.read_text() == "LIKELY  # devlint: ignore[DL105]\nUNSURE\n"
    assert (outcome.findings, outcome.changed) == ([], {"DL105": 1})


def test_unsafe_fixes_are_applied_where_they_are_asked_for(path: Path) -> None:
    assert fixed(path, "BUG + RISKY + SHOWN\n", UNSAFE) == b"OK + OK + SHOWN\n"


def test_what_was_fixed_is_counted_and_what_remains_is_reported(path: Path) -> None:
    path.write_text("NESTED + BUG + RISKY\n")
    outcome = check(path)
    assert outcome.changed == {"DL101": 3}
    assert [(finding.code, finding.site.column) for finding in outcome.findings] == [("DL301", 11)]


@pytest.mark.parametrize(
    "data",
    [
        "x = 'é'\r\nBUG\r\n".encode(),
        b"\xef\xbb\xbfx = 1\nBUG\n",
        b"# -*- coding: latin-1 -*-\nx = '\xe9'\nBUG\n",
        b"# coding: cp1252\nx = '\x80'\r\nBUG",
        b"x = 1\rBUG\r",
        b"\x0cBUG\n\n\n",
    ],
)
def test_encoding_mark_and_line_ends_are_kept(path: Path, data: bytes) -> None:
    assert fixed(path, data) == data.replace(b"BUG", b"OK")


@pytest.mark.skipif(not hasattr(os, "chown") or os.geteuid() != 0, reason="only root gives files away")
def test_what_root_fixes_stays_its_owners(tmp_path: Path) -> None:
    file = tmp_path / "owned.py"
    file.write_bytes(b"before")
    os.chown(file, 1000, 1000)
    replace_file(file, b"before", b"after")
    assert (file.stat().st_uid, file.stat().st_gid, file.read_bytes()) == (1000, 1000, b"after")


def test_mode_and_links_are_kept(tmp_path: Path) -> None:
    real = tmp_path / "real.py"
    real.write_text("BUG\n")
    real.chmod(0o750)
    link = tmp_path / "link.py"
    link.symlink_to("real.py")
    check(link)
    assert link.is_symlink()
    assert real.read_text() == "OK\n"
    assert real.stat().st_mode & 0o7777 == 0o750
    assert sorted(os.listdir(tmp_path)) == ["link.py", "real.py"]  # noqa: PTH208  # names, hidden ones too


def test_nothing_is_written_where_nothing_changes(path: Path) -> None:
    path.write_text("OK\n")
    before = path.stat()
    check(path)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_fix_that_breaks_the_code_is_not_kept(path: Path) -> None:
    path.write_text("BUG + BREAKS\n")
    outcome = check(path)
    assert path.read_text() == "BUG + BREAKS\n"
    assert outcome.failure.startswith("a.py: a fix for DL101, DL103 would leave code that does not parse")
    assert "report" in outcome.failure
    assert outcome.before == outcome.after
    assert not outcome.changed


def test_fixes_that_never_end_do_end(path: Path) -> None:
    path.write_text("GROWS\n")
    outcome = check(path)
    assert "10 passes" in outcome.failure
    assert path.read_text() == "GROWS" + " + 1" * 10 + "\n"


def test_a_broken_file_is_left_alone(path: Path) -> None:
    path.write_text("BUG (\n")
    outcome = check(path)
    assert [finding.code for finding in outcome.findings] == ["DL900"]
    assert path.read_text() == "BUG (\n"


def test_a_file_that_cannot_be_written_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text("BUG\n")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    outcome = check(path)
    assert outcome.failure == "a.py: could not be written: permission denied; nothing was changed"
    assert path.read_text() == "BUG\n"
    assert [finding.code for finding in outcome.findings] == ["DL101"]


def test_a_file_that_changed_meanwhile_is_not_overwritten(path: Path) -> None:
    path.write_text("new\n")
    with pytest.raises(ChangedFileError, match="meanwhile"):
        replace_file(path, b"old\n", b"fixed\n")
    assert path.read_text() == "new\n"
    assert [entry.name for entry in path.parent.iterdir()] == ["a.py"]


def test_text_that_its_encoding_cannot_hold_is_not_written(path: Path) -> None:
    path.write_bytes(b"# coding: ascii\nBUG + FOREIGN\n")
    outcome = check(path)
    assert outcome.failure.startswith("a.py: could not be written: ")
    assert "ascii" in outcome.failure
    assert path.read_bytes() == b"# coding: ascii\nBUG + FOREIGN\n"
    assert [finding.code for finding in outcome.findings] == ["DL101", "DL101"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("BUG\n", "BUG  # devlint: ignore[DL101]\n"),
        ("BUG + RISKY + BUG  \n", "BUG + RISKY + BUG  # devlint: ignore[DL101, DL301]\n"),
        ("BUG  # why\n", "BUG  # why  # devlint: ignore[DL101]\n"),
        ("BUG + SHOWN  # devlint: ignore[DL101]\n", "BUG + SHOWN  # devlint: ignore[DL101, DL102]\n"),
        ("f(\n    BUG,\n)\n", "f(\n    BUG,  # devlint: ignore[DL101]\n)\n"),
        ("f('''\n''', BUG, '''\n''')\n", "f('''\n''', BUG, '''\n''')  # devlint: ignore[DL101]\n"),
        (
            "if BUG and \\\n        x:\n    pass\n",
            "if BUG and \\\n        x:  # devlint: ignore[DL101]\n    pass\n",
        ),
        ("BUG\r\n", "BUG  # devlint: ignore[DL101]\r\n"),
        ("BUG", "BUG  # devlint: ignore[DL101]"),
        ("BUG  # noqa: DL101\n", "BUG  # noqa: DL101\n"),
        ("OK\n", "OK\n"),
    ],
)
def test_ignores_are_added(path: Path, before: str, after: str) -> None:
    on = {"select": ("DL101", "DL102", "DL301", "DL901")}
    path.write_bytes(before.encode())
    outcome = check(path, Task(FileChange.IGNORE), **on)
    assert path.read_bytes().decode() == after
    assert outcome.findings == []
    assert check(path, Task(), **on).findings == []


def test_nothing_is_written_for_a_diff(path: Path) -> None:
    path.write_text("BUG\n")
    outcome = check(path, Task(FileChange.FIX, write=False))
    assert (outcome.before, outcome.after) == ("BUG\n", "OK\n")
    assert path.read_text() == "BUG\n"
