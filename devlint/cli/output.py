"""Where a report goes: a stream, or the file that was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from devlint.project.configuration import ConfigurationError
from devlint.project.discover import reason


class OutputError(Exception):
    """The report could not be written where it was wanted."""


def require_directory(file: str | None) -> None:
    """Refuse an output file before the work, where it could not be written after it.

    Raises:
        ConfigurationError: if its directory does not exist.
    """
    if file and not Path(file).absolute().parent.is_dir():
        raise ConfigurationError(f"--output-file: {file}: there is no such directory")


@contextmanager
def output(file: str | None, stream: TextIO) -> Iterator[TextIO]:
    """The file that was asked for, or else the stream.

    Raises:
        OutputError: if the file cannot be written.
    """
    if not file:
        yield stream
        return
    try:
        with Path(file).open("w", encoding="utf-8", errors="backslashreplace") as opened:
            yield opened
    except OSError as error:
        raise OutputError(f"--output-file: {file}: {reason(error)}") from None
