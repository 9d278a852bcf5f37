"""Writing a file so that it is either the old one or the new one, whatever happens on the way."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


class ChangedFileError(OSError):
    """The file is no longer what was read, so that writing would lose a change."""

    def __init__(self) -> None:
        super().__init__(0, "it was changed by another program meanwhile")


def replace_file(path: Path, before: bytes, after: bytes) -> None:
    """Put other content into a file that is still as it was read.

    The content goes into a new file beside the old one, which it then replaces. The mode is kept, and a
    symbolic link stays one: what it leads to is replaced.

    Raises:
        OSError: if the file cannot be written; it is as it was then.
    """
    target = Path(os.path.realpath(path))
    mode = target.stat().st_mode
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".devlint", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode & 0o7777)
        _require_unchanged(target, before)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _require_unchanged(target: Path, before: bytes) -> None:
    if target.read_bytes() != before:
        raise ChangedFileError
