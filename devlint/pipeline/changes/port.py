"""Porting the files below some paths: read them, port them together, show or write the changes."""

from __future__ import annotations

import difflib
import errno
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from devlint.pipeline.files.document import Document, read_document
from devlint.pipeline.files.shown_path import shown_path
from devlint.pipeline.files.write import replace_file
from devlint.port import Left, port
from devlint.project.configuration import Configurations
from devlint.project.discover import NOTEBOOK_SUFFIX, SourceFile, discover, reason
from devlint.project.modules import Modules
from devlint.project.root import leads_out, root_of
from devlint.report.patch import patch
from devlint.source.parse import parse
from devlint.source.unreadable import UnreadableSource

_WORDS = ("cuda", "torch.load")
"""A project without these words does not change."""


class PortError(Exception):
    """Files could not be written; all are unchanged."""


class Change(NamedTuple):
    """A file that changes."""

    path: Path
    name: str
    data: bytes
    """Its present content."""
    before: str
    after: Document
    below: Path | None
    """The given directory that contains it; None if the file itself was given."""

    @property
    def patch(self) -> str:
        """The change as a patch."""
        return patch(self.name, self.before, self.after.text)


class Porting:
    """The files below some paths, ported together."""

    def __init__(self, paths: Iterable[str], configurations: Configurations) -> None:
        """Read and port.

        Raises: ConfigurationError: if the configuration of a path is invalid.
        """
        self._directory = configurations.working_directory
        found = discover(paths, configurations)
        self.missing = found.missing
        """Given paths that do not exist."""
        self.unread = [(self._name(path), why) for path, why in found.unreadable]
        """Files that could not be read, notebooks among them, and why; the others are ported without them."""
        self._documents: dict[str, tuple[SourceFile, bytes, Document]] = {}
        for file in found.files:
            self._read(file)
        self.total = len(self._documents)
        """How many files were read."""
        self.changes: list[Change] = []
        self.left: list[Left] = []
        """Places that stay unchanged, with the names of files in reports."""
        self._port()

    def write(self) -> None:
        """Write the files that change: all, or none.

        Raises:
            PortError: if one cannot be written.
        """
        written: list[tuple[Change, bytes]] = []
        try:
            for change in self.changes:
                data = change.after.to_bytes()
                self._require_inside(change)
                replace_file(change.path, change.data, data)
                written.append((change, data))
        except (OSError, UnreadableSource) as error:
            for done, data in reversed(written):
                replace_file(done.path, data, done.data)
            why = reason(error) if isinstance(error, OSError) else error.reason
            raise PortError(f"{change.name} could not be written, so no file was: {why}") from None

    def _require_inside(self, change: Change) -> None:
        """Reject writing through a link that leads out of the project.

        Raises:
            OSError: if it is such a link.
        """
        if change.below is not None and leads_out(change.path, change.below, root_of(self._directory)):
            raise OSError(errno.EPERM, "it is a link that leads out of the project")

    def _name(self, path: Path) -> str:
        return shown_path(path, self._directory)

    def _read(self, file: SourceFile) -> None:
        path, name = file.path, self._name(file.path)
        try:
            data = path.read_bytes()
            if path.suffix == NOTEBOOK_SUFFIX:
                if any(word.encode() in data for word in _WORDS):
                    self.unread.append((name, "a notebook cannot be ported; convert it to a program"))
                return
            document = read_document(data, name, notebook=False)
            parse(document.text, name)
        except OSError as error:
            self.unread.append((name, reason(error)))
        except UnreadableSource as error:
            self.unread.append((name, f"line {error.line}: {error.reason}"))
        else:
            self._documents[str(path)] = file, data, document

    def _port(self) -> None:
        texts = {path: document.text for path, (_, _, document) in self._documents.items()}
        if not any(word in text for text in texts.values() for word in _WORDS):
            return
        ported = port(texts, Modules())
        for path, text in ported.texts.items():
            file, data, document = self._documents[path]
            after = Document(_aligned(document.text, text), document.encode)
            parse(after.text, self._name(file.path))
            self.changes.append(
                Change(file.path, self._name(file.path), data, document.text, after, file.below)
            )
        for left in ported.left:
            self.left.append(left._replace(path=self._name(Path(left.path))))


def _aligned(before: str, after: str) -> str:
    """The new text, with the original form of each unchanged line, because LibCST drops form feeds."""
    if "\f" not in before:
        return after
    old, new = (io.StringIO(text, newline="").readlines() for text in (before, after))
    return "".join(_lines(old, new))


def _lines(old: list[str], new: list[str]) -> Iterator[str]:
    bare = [line.replace("\f", "") for line in old]
    for tag, start, end, first, last in difflib.SequenceMatcher(
        None, bare, new, autojunk=False
    ).get_opcodes():
        yield from old[start:end] if tag == "equal" else new[first:last]
