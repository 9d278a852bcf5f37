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

    The content goes into a new file beside the old one, which it then replaces. The mode is kept, the owner
    too where that is allowed, and a symbolic link stays one: what it leads to is replaced.

    Raises:
        OSError: if the file cannot be written; it is as it was then.
    """
    target = Path(os.path.realpath(path))
    known = target.stat()
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".devlint", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        _give_to_owner(name, known)
        Path(name).chmod(known.st_mode & 0o7777)
        _require_unchanged(target, before)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _give_to_owner(name: str, known: os.stat_result) -> None:
    """Give a file to whom another belongs, as root may: what root fixes in a container stays the user's."""
    if hasattr(os, "chown") and (known.st_uid, known.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):
            os.chown(name, known.st_uid, known.st_gid)


def _require_unchanged(target: Path, before: bytes) -> None:
    if target.read_bytes() != before:
        raise ChangedFileError
