"""Reading files that other people provide.

Opening a pipe would wait for a writer, and a device may have no end.
"""

from __future__ import annotations

import errno
import os
import stat

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""A flag for `read_regular`: reject symbolic links."""


def read_regular(path: str | os.PathLike[str], most: int | None = None, flags: int = 0) -> bytes:
    """The content of a regular file, if it has at most so many bytes.

    Raises: OSError: if the file does not exist, is not a regular file, or is larger. ValueError: if the path
    is not a possible name.
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
