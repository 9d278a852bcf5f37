"""Explain errors about devices from their text: a pasted message, a traceback, or a whole log."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from devlint.cli.exit import ExitCode
from devlint.cli.output import say
from devlint.pipeline.explain.explain import NoErrorError, explain, text_of
from devlint.project.discover import reason
from devlint.report.amounts import count
from devlint.report.explanation import render

_STDIN = "-"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare all options."""
    parser.add_argument(
        "file",
        nargs="?",
        default=_STDIN,
        metavar="FILE",
        help="file with the error (default: standard input)",
    )


def run(arguments: Namespace) -> int:
    """Explain each error about devices in the text, without running any file that it names."""
    try:
        explained = explain(text_of(_read(arguments.file)), Path.cwd())
    except NoErrorError as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(f"{arguments.file}: {reason(error)}")
    if explained.unrelated:
        first, *_ = explained.unrelated.splitlines()
        say(f"This error is not about devices, as far as devlint knows: {first}")
        return ExitCode.FINDINGS
    render(explained.explanations, sys.stdout)
    if explained.others:
        say(f"{count(explained.others, 'more error')} about devices not shown.")
    return ExitCode.CLEAN


def _read(file: str) -> bytes:
    if file != _STDIN:
        return Path(file).read_bytes()
    if sys.stdin is None:
        raise NoErrorError("standard input is closed, so there is no error to explain")
    if sys.stdin.isatty():
        say("Paste the error, then end with Ctrl-D (on Windows Ctrl-Z and Enter).")
    return sys.stdin.buffer.read()


def _refuse(why: str) -> int:
    say(f"error: {why}")
    return ExitCode.BAD_USE
