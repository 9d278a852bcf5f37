"""The cache of the results of files as programs.

Each entry is a small file, named by a hash of everything on which the result depends: the content, the rules
that are on, devlint itself, LibCST and Python. If the result also depends on other files of the project, this
entry only says so, and another one, whose name includes the file's directory, has the result and the states
of the other files. The result is JSON after a checksum of it and of the entry's name: an entry that is
damaged, has another name, or was created by another program counts as missing. Entries are written
atomically. The oldest ones are removed when there are too many.

Another person may have created the directory. Only regular files are read, and their data is checked before
use (see `devlint.pipeline.session.cache_entry`); nothing is written or removed through a link.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from devlint.project.content import NO_LINK, read_regular
from devlint.project.digest import blake2b
from devlint.project.root import root_of
from devlint.version import __version__

DIRECTORY_NAME = ".devlint_cache"
VARIABLE = "DEVLINT_CACHE_DIR"
"""The environment variable that names another directory."""
LIMIT = 256 << 20
"""The largest size of a cache in bytes, in blocks of the file system."""
TAG = "CACHEDIR.TAG"
"""The file by which backups recognize a cache (https://bford.info/cachedir/), and `devlint clean` its own."""

_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55\n# This directory holds a cache of devlint.\n"
_NOTHING = b"[]"
_NEXT = b"\0"
"""Separates in an entry the paths of other files, their states, and the result, which do not contain it."""
_BY_PLACE = b"0"
"""The content of an entry whose result depends on the directory of the file."""
_BLOCK = 4096
_SHARDS = 256
_FRESH = 24 * 3600
"""The time of use of an entry is updated once in so many seconds."""


class Cache:
    """The entries in one directory. After any error there, the file is analyzed again."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._salt = "\0".join((__version__, sys.version, _parser_state(), _package_state())).encode()
        self._written: set[str] = set()
        self._created = False

    def key(self, data: bytes, on: Collection[str], *, notebook: bool) -> str:
        """The name of the entry for a file's content under the rules that are on."""
        digest = blake2b(self._salt, digest_size=32)
        digest.update(f"{','.join(sorted(on))}\0{notebook}\0".encode())
        digest.update(data)
        return digest.hexdigest()

    def find(self, key: str, directory: str, state: Callable[[str], str]) -> list[Any] | None:
        """The result of a file as plain data; None if it is unknown, or one of the other files on which it
        depends has changed."""
        content = self._read(key)
        if content == _BY_PLACE:
            content = self._read(_named_by_place(key, directory))
        if content is None:
            return None
        try:
            *used, shown = content.split(_NEXT)
            if not _still_so(used, state):
                return None
            if shown == _NOTHING:
                return []
            import json  # noqa: PLC0415  # most files show nothing

            data = json.loads(shown)
        except (ValueError, RecursionError):
            return None
        return data if isinstance(data, list) else None

    def keep(self, key: str, data: list[Any], directory: str, used: Sequence[tuple[str, str]]) -> None:
        """Store the result of a file, with the states of the other files on which it depends."""
        content = _NOTHING
        if data:
            import json  # noqa: PLC0415

            content = json.dumps(data, separators=(",", ":")).encode()
        if used:
            content = _NEXT.join((*(os.fsencode(part) for pair in used for part in pair), content))
            self._keep(_named_by_place(key, directory), content)
            content = _BY_PLACE
        self._keep(key, content)

    def _read(self, key: str) -> bytes | None:
        """The content of an entry; None if there is none, or a damaged one."""
        place = self._place(key)
        try:
            entry = read_regular(place, _LARGEST, NO_LINK)
            if os.stat(place).st_mtime < _now() - _FRESH:  # noqa: PTH116
                os.utime(place)
        except OSError:
            return None
        content = entry[_CHECKSUM:]
        return content if entry[:_CHECKSUM] == _checksum(key, content) else None

    def _keep(self, key: str, content: bytes) -> None:
        place = self._place(key)
        temporary = f"{place}.{os.getpid()}.{id(self)}"
        with suppress(OSError):
            try:
                self._write(temporary, _checksum(key, content) + content)
                os.replace(temporary, place)  # noqa: PTH105
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary)  # noqa: PTH108
                raise
            self._written.add(os.path.dirname(place))  # noqa: PTH120

    def trim(self) -> None:
        """Remove the oldest entries of the parts that exceed their share."""
        for shard in self._written:
            with suppress(OSError):
                _trim(shard)
        self._written.clear()

    def _place(self, key: str) -> str:
        return f"{self.directory}/{key[:2]}/{key[2:]}"

    def _write(self, place: str, entry: bytes) -> None:
        if not self._created:
            create(self.directory)
            self._created = True
        shard = os.path.dirname(place)  # noqa: PTH120
        if os.path.islink(shard):  # noqa: PTH114
            raise NotADirectoryError(shard)
        try:
            file = open(place, "xb")  # noqa: PTH123, SIM115
        except FileNotFoundError:
            os.makedirs(shard, exist_ok=True)  # noqa: PTH103
            file = open(place, "xb")  # noqa: PTH123, SIM115
        with file:
            file.write(entry)


def _still_so(used: Sequence[bytes], state: Callable[[str], str]) -> bool:
    """Whether other files, each followed by its state, are unchanged."""
    pairs = zip(used[::2], used[1::2], strict=True)
    return all(state(os.fsdecode(path)) == os.fsdecode(known) for path, known in pairs)


def default_directory(working_directory: Path) -> Path:
    """The default directory of the cache, at the root of the project."""
    named = os.environ.get(VARIABLE)
    if named:
        return working_directory / named
    return root_of(working_directory) / DIRECTORY_NAME


def create(directory: Path) -> None:
    """Create a directory for a cache that backups and git ignore.

    Raises: OSError: if it cannot be written, or is a link to a directory that is not a cache.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if any(directory.iterdir()):
        if directory.is_symlink() and not is_cache(directory):
            raise NotADirectoryError(directory)
    else:
        (directory / ".gitignore").write_text("*\n", encoding="utf-8")
        (directory / TAG).write_text(_SIGNATURE, encoding="utf-8")


def is_cache(directory: Path) -> bool:
    """Whether a directory is a cache of devlint, which may be removed."""
    try:
        return read_regular(directory / TAG, len(_SIGNATURE)) == _SIGNATURE.encode()
    except OSError:
        return False


def _named_by_place(key: str, directory: str) -> str:
    return blake2b(f"{key}\0{directory}".encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()


def _checksum(key: str, content: bytes) -> bytes:
    return blake2b(content, digest_size=_CHECKSUM, key=key.encode()).digest()


_CHECKSUM = 16
_LARGEST = 16 << 20
"""Larger entries, in bytes, are not read."""
_ENTRY = re.compile(r"[0-9a-f]{62}(\.\d+\.\d+)?")
"""The name of an entry, and of one that is being written."""


def _now() -> float:
    from time import time  # noqa: PLC0415

    return time()


def _parser_state() -> str:
    """The installed LibCST, without importing it."""
    found = find_spec("libcst")
    return "" if found is None or not found.origin else f"{found.origin}:{os.stat(found.origin).st_mtime_ns}"  # noqa: PTH116


def _package_state() -> str:
    """The state of devlint's own files, so that changed rules are effective without a new version."""
    states: list[str] = []
    waiting = [os.path.dirname(os.path.dirname(__file__))]  # noqa: PTH120
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in _NOT_CHECKING:
                        waiting.append(entry.path)
                else:
                    state = entry.stat()
                    states.append(f"{entry.path}:{state.st_mtime_ns}:{state.st_size}")
    return "\n".join(sorted(states))


_NOT_CHECKING = frozenset({"__pycache__", "runtime", "integrations", "cli", "report"})
"""The packages that do not influence the findings of a check."""


def _trim(shard: str) -> None:
    with os.scandir(shard) as scan:
        own = (entry for entry in scan if _ENTRY.fullmatch(entry.name))
        entries = [(entry.stat().st_mtime, entry.stat().st_size, entry.path) for entry in own]
    taken = sum(_blocks(size) for _, size, _ in entries)
    if taken <= LIMIT // _SHARDS:
        return
    for _, size, path in sorted(entries):
        with suppress(OSError):
            os.unlink(path)  # noqa: PTH108
        taken -= _blocks(size)
        if taken <= LIMIT // _SHARDS * 3 // 4:
            return


def _blocks(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK
