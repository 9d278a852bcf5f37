"""docs/reports.md: its commands, one after the other, write what it says."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from devlint.runtime.recording.timeline import MOST_MOMENTS
from tests.cli.programs import devlint
from tests.docs.test_pages import ROOT, blocks, shell_commands
from tools.report_pictures import FOLDER, SCHEMES

PAGE = ROOT / "docs" / "reports.md"
EXAMPLES = ROOT / "docs" / "examples"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only, and no operands' texts")
def test_commands_write_what_the_page_says(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "logging_loop_bad.py", tmp_path / "train.py")
    said = []
    for block in blocks(PAGE, "sh"):
        for line in block.text.splitlines():
            (command,) = shell_commands(line)
            if "after.jsonl" in command and command[1] == "run":
                shutil.copy(EXAMPLES / "logging_loop_good.py", tmp_path / "train.py")
            said.append(_run(command, tmp_path))
    written = {path.name for path in tmp_path.iterdir()}
    assert {"report.html", "trace.json", "comparison.html"} <= written
    assert json.loads((tmp_path / "trace.json").read_text("utf-8"))["traceEvents"]
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!doctype html>")
    (promised,) = [block.text for block in blocks(PAGE, "text")]
    assert promised in said[-3]
    assert json.loads(said[-1])["findings"][0]["verdict"] == "gone"


def _run(command: list[str], where: Path) -> str:
    assert command[0] == "devlint"
    done = devlint(where, *command[1:])
    compares_or_runs = command[1] == "run" or "--compare" in command
    assert done.code == (0 if compares_or_runs else 1), shlex.join(command) + done.err
    return done.out


def test_the_pictures_are_there_and_shown() -> None:
    text = PAGE.read_text("utf-8")
    for scheme in SCHEMES:
        assert f'"images/report-{scheme}.png"' in text
        assert (FOLDER / f"report-{scheme}.png").read_bytes().startswith(b"\x89PNG")


def test_it_says_how_many_events_are_kept() -> None:
    assert f"more than {MOST_MOMENTS:,} events" in PAGE.read_text("utf-8")
