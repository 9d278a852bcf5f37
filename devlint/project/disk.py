"""Access to files: on the disk of this machine, or on a partial copy of another machine's disk."""

from __future__ import annotations

import os
from collections.abc import Mapping

from devlint.project.content import read_regular
from devlint.project.digest import blake2b

DIRECTORY, FILE, NOTHING = "directory", "file", ""
_DIGEST_SIZE = 16


class Disk:
    """The disk of this machine."""

    def here(self) -> str:
        """The working directory."""
        return os.getcwd()  # noqa: PTH109  # paths are strings throughout

    def kind(self, path: str) -> str:
        """The kind of a path: a directory, a file, or nothing."""
        if os.path.isdir(path):  # noqa: PTH112
            return DIRECTORY
        return FILE if os.path.isfile(path) else NOTHING  # noqa: PTH113

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if it cannot be read."""
        try:
            return read_regular(path)
        except OSError:
            return None

    def state(self, path: str) -> str:
        """The state of a path, for detecting changes: for a file, a digest of its content."""
        data = self.read(path)
        if data is not None:
            return digest(data)
        return DIRECTORY if os.path.isdir(path) else NOTHING  # noqa: PTH112


class Copy(Disk):
    """A partial copy of another machine's disk: listings of some directories, and some files.

    Everything else seems to be missing. The states of paths show whether that was right.
    """

    def __init__(
        self, here: str, listings: Mapping[str, Mapping[str, str]], texts: Mapping[str, bytes]
    ) -> None:
        self._here = here
        self._listings = listings
        self._texts = texts

    def here(self) -> str:
        """The working directory of the other machine."""
        return self._here

    def kind(self, path: str) -> str:
        """The kind of a path in the copy."""
        folder, name = os.path.split(path)
        return self._listings.get(folder, {}).get(name, NOTHING)

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if it is not in the copy."""
        return self._texts.get(path)

    def state(self, path: str) -> str:
        """The state of a path on the other machine, if the copy has everything that matters."""
        data = self.read(path)
        return self.kind(path) if data is None else digest(data)


def digest(data: bytes) -> str:
    """A hash of a content."""
    return blake2b(data, digest_size=_DIGEST_SIZE).hexdigest()
