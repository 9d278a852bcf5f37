"""Where a report is written: to a stream, or to the requested file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from devlint.project.configuration import ConfigurationError
from devlint.project.discover import reason


def say(line: str, stream: TextIO | None = None) -> None:
    """Print one line to standard error or another stream, escaped: a CI server takes some lines for
    commands."""
    from devlint.model.visible import visible  # noqa: PLC0415  # most runs say nothing here

    target = sys.stderr if stream is None else stream
    if target is not None:  # `print` would write to standard output instead
        print(visible(line), file=target)


class OutputError(Exception):
    """The report could not be written to the requested file."""


_SOURCES = (".py", ".pyi", ".pyw", ".ipynb")
STREAM = "-"
"""Stands for the stream."""


def require_place(file: str | None, option: str = "--output-file") -> None:
    """Reject, before the work, an output file that could not be written or would overwrite a program.

    Raises: ConfigurationError: if its directory does not exist, or it is a source file.
    """
    if not file or file == STREAM:
        return
    path = Path(file)
    if not path.absolute().parent.is_dir():
        raise ConfigurationError(f"{option}: {file}: the directory does not exist")
    real = Path(os.path.realpath(path))
    if real.suffix in _SOURCES and real.exists():
        raise ConfigurationError(
            f"{option}: {file}: is a source file and would be overwritten; choose another name"
        )


@contextmanager
def output(file: str | None, stream: TextIO, option: str = "--output-file") -> Iterator[TextIO]:
    """The file that an option names, else the stream.

    Raises:
        OutputError: if the file cannot be written.
    """
    if not file or file == STREAM:
        yield stream
        return
    try:
        with Path(file).open("w", encoding="utf-8", errors="backslashreplace") as opened:
            yield opened
    except OSError as error:
        raise OutputError(f"{option}: {file}: {reason(error)}") from None
