"""What lies where: on this machine's disk, or on another one's, as far as that was told."""

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
        """What lies at a path: a directory, a file, or nothing."""
        if os.path.isdir(path):  # noqa: PTH112
            return DIRECTORY
        return FILE if os.path.isfile(path) else NOTHING  # noqa: PTH113

    def read(self, path: str) -> bytes | None:
        """What a file holds; None if it cannot be read."""
        try:
            return read_regular(path)
        except OSError:
            return None

    def state(self, path: str) -> str:
        """What lies at a path, so that a change shows: a digest of what a file holds."""
        data = self.read(path)
        if data is not None:
            return digest(data)
        return DIRECTORY if os.path.isdir(path) else NOTHING  # noqa: PTH112


class Copy(Disk):
    """What was told of another machine's disk: what some directories hold, and some files.

    Nothing seems to lie where nothing was told of. The state of a path says whether that was right.
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
        """What lies at a path, as far as it was told."""
        folder, name = os.path.split(path)
        return self._listings.get(folder, {}).get(name, NOTHING)

    def read(self, path: str) -> bytes | None:
        """What a file holds; None if that was not told."""
        return self._texts.get(path)

    def state(self, path: str) -> str:
        """The state that the other machine would name, if all was told that matters."""
        data = self.read(path)
        return self.kind(path) if data is None else digest(data)


def digest(data: bytes) -> str:
    """What tells one content from others."""
    return blake2b(data, digest_size=_DIGEST_SIZE).hexdigest()
