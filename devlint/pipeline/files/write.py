"""Writing a file atomically: it is either the old or the new one, whatever happens."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class ChangedFileError(OSError):
    """The file changed since it was read, so that writing it would lose a change."""

    def __init__(self) -> None:
        super().__init__(0, "another program changed it meanwhile")


_ANYBODY_WRITES = 0o222


def replace_file(path: Path, before: bytes, after: bytes) -> None:
    """Replace the content of a file that did not change since it was read.

    The content is written to a new file in the same directory, which then replaces the old one. Mode and
    extended attributes are kept, the owner as well if permitted. The target of a symbolic link is replaced,
    not the link. A write-protected file is rejected, and one with further hard links, which would keep the
    old content.

    Raises: ChangedFileError: if it changed since it was read. OSError: if the file cannot be written; it is
        as it was then.
    """
    target = Path(os.path.realpath(path))
    known = target.stat()
    _require_writable(target, known)
    with _temporary_file(target, after) as new:
        _give_to_owner(new, known)
        new.chmod(known.st_mode & 0o7777)
        _give_attributes(new, target)
        _require_unchanged(target, before)
        new.replace(target)


def write_file(path: Path, content: bytes) -> None:
    """Write content to a new or existing file in one step.

    Raises:
        OSError: if the file cannot be written; it is then unchanged.
    """
    target = Path(os.path.realpath(path))
    if target.exists():
        replace_file(target, target.read_bytes(), content)
        return
    with _temporary_file(target, content) as new:
        new.chmod(0o666 & ~_mask())
        new.replace(target)


@contextmanager
def _temporary_file(target: Path, content: bytes) -> Iterator[Path]:
    """A new file with this content in the same directory; removed if it does not replace the other."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".devlint", dir=target.parent)
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield new
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


def _mask() -> int:
    """The umask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _give_to_owner(path: Path, known: os.stat_result) -> None:
    """Give a file the owner of another one, if permitted, so that files that root fixes in a container stay
    the user's."""
    if hasattr(os, "chown") and (known.st_uid, known.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):
            os.chown(path, known.st_uid, known.st_gid)


def _require_writable(target: Path, known: os.stat_result) -> None:
    """Reject a write-protected file, although its directory would permit replacing it; also for root."""
    if not known.st_mode & _ANYBODY_WRITES or not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "it is write-protected")
    if known.st_nlink > 1:
        raise OSError(errno.EMLINK, "it has further hard links, which would keep the old content")


def _give_attributes(path: Path, target: Path) -> None:
    """Give a file the extended attributes of another one, access lists among them.

    Raises: OSError: if an attribute cannot be kept.
    """
    if sys.platform != "linux":
        return
    try:
        names = os.listxattr(target)
    except OSError:  # the file system does not support them
        return
    for name in names:
        value = os.getxattr(target, name)
        if value == _attribute(path, name):
            continue
        try:
            os.setxattr(path, name, value)
        except OSError as error:
            raise OSError(error.errno, f"its extended attribute {name} would be lost") from None


def _attribute(path: Path, name: str) -> bytes | None:
    if sys.platform == "linux":
        with suppress(OSError):
            return os.getxattr(path, name)
    return None


def _require_unchanged(target: Path, before: bytes) -> None:
    if target.read_bytes() != before:
        raise ChangedFileError
