"""What has to hold for any input: it is checked or refused in one line, and devlint does not fail."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

from devlint.cli import main
from devlint.model.syntax import is_program
from tests.fuzzing.inputs import Input

UNREADABLE = "DL900"
COMMAND = ("check", "--no-cache", "--jobs", "1", "--extend-select", "ALL", "--output-format", "full", ".")


class BrokenError(AssertionError):
    """An input for which something does not hold."""


def check(sample: Input, where: Path) -> str:
    """Check an input in an empty directory. Returns what came of it, in a word.

    Raises:
        BrokenError: if devlint fails, says something else than findings or one error, or refuses what Python
            takes.
    """
    file = where / sample.name
    file.write_bytes(sample.data)
    (where / "plain.py").write_text("x = 1\n")
    try:
        code, said = _said(where)
    finally:
        file.unlink()
    if code not in (0, 1, 2) or "devlint failed" in said or "Traceback" in said:
        raise BrokenError(f"{code}: {said}")
    if code == 2 and (sample.kind != "configuration" or not said.startswith("error: ")):
        raise BrokenError(f"{code}: {said}")
    refused = UNREADABLE in said
    if sample.kind != "program":
        return "refused" if refused or code == 2 else "checked"
    is_python = is_program(sample.data)
    if refused and is_python:
        raise BrokenError(f"Python takes what is refused: {said}")
    return "refused" if refused else "checked" if is_python else "taken, though Python refuses it"


def _said(where: Path) -> tuple[int, str]:
    streams = io.StringIO()
    before = Path.cwd()
    os.chdir(where)
    try:
        with contextlib.redirect_stdout(streams), contextlib.redirect_stderr(streams):
            code = main(
                [
                    "check",
                    "--no-cache",
                    "--jobs",
                    "1",
                    "--extend-select",
                    "ALL",
                    "--output-format",
                    "full",
                    ".",
                ]
            )
    finally:
        os.chdir(before)
    return int(code), streams.getvalue()
