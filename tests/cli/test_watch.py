"""`devlint check --watch` checks again whenever a file changes, until it is interrupted."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.cli import main
from tests.cli.programs import ENVIRONMENT

pytest.importorskip("watchfiles")

BUG = "import torch\nx = torch.ones(2, device='cuda') + torch.ones(2)\n"


def said_until(end: str, process: subprocess.Popen[str]) -> str:
    """The output of a process up to the first line that begins with `end`."""
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if line.startswith(end):
            return said
    raise AssertionError(f"it ended before: {said}")


@pytest.mark.usefixtures("interruptible")
@pytest.mark.skipif(sys.platform == "win32", reason="the signal is another one")
def test_it_checks_again(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(BUG)
    command = (
        sys.executable,
        "-m",
        "devlint",
        "check",
        "--watch",
        "--no-cache",
        "--output-format",
        "concise",
    )
    with subprocess.Popen(
        command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert "train.py:2:" in said_until("Found 1 finding", process)
            # A change before the watch has begun is not noticed, so the file is written repeatedly.
            writer = subprocess.Popen(
                (sys.executable, "-c", WRITER, str(program), BUG.replace(" + torch.ones(2)", "")),
                env=ENVIRONMENT,
            )
            try:
                assert "train.py" not in said_until("All checks passed", process)
            finally:
                writer.kill()
                writer.wait()
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130


WRITER = """
import pathlib, sys, time
while True:
    pathlib.Path(sys.argv[1]).write_text(sys.argv[2])
    time.sleep(0.5)
"""


@pytest.mark.parametrize(
    "others", [["--fix"], ["--diff"], ["--shard", "1/2"], ["-"], ["-o", "out.txt"], ["--show-files"]]
)
def test_what_is_done_once_is_refused(others: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--watch", *others]) == 2
    assert "cannot be combined" in capsys.readouterr().err


def test_it_needs_watchfiles(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    assert main(["check", "--watch"]) == 2
    assert capsys.readouterr().err == "error: --watch needs watchfiles: pip install 'devlint[watch]'\n"
