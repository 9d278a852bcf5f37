"""Reading files that others have put where devlint looks for them.

Opening a pipe would wait for whoever writes into it, and a device may have no end.
"""

from __future__ import annotations

import errno
import os
import stat

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""Passed to `read_regular`: a symbolic link is refused."""


def read_regular(path: str | os.PathLike[str], most: int | None = None, flags: int = 0) -> bytes:
    """What a regular file holds, if that is no more than so many bytes.

    Raises:
        OSError: if there is no such file, it is no regular one, or it is larger.
        ValueError: no file can be named so.
    """
    with open(os.open(path, _FLAGS | flags), "rb", buffering=0) as file:  # noqa: PTH123
        state = os.fstat(file.fileno())
        if stat.S_ISDIR(state.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(state.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))
        if most is not None and state.st_size > most:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), os.fspath(path))
        return file.read()
