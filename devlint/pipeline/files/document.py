"""A file as text to analyze, and the conversion back to bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from devlint.report import SourceText
from devlint.source.decode import decode
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    from devlint.model import Edit


class Document(NamedTuple):
    """The text of a file; of a notebook, that of its code cells."""

    text: str
    encode: Callable[[str, Sequence[int]], bytes]
    """The bytes of the file with another text, which is given with the offsets of its cells."""
    cells: tuple[int, ...] = ()
    """The offset at which each code cell starts; empty unless the file is a notebook."""

    def edited(self, edits: Sequence[Edit]) -> Document:
        """The document after edits, which must be sorted and must not overlap."""
        parts: list[str] = []
        at = 0
        for edit in edits:
            parts += (self.text[at : edit.start], edit.content)
            at = edit.end
        parts.append(self.text[at:])
        return Document("".join(parts), self.encode, tuple(_moved(cell, edits) for cell in self.cells))

    def source(self) -> SourceText:
        """The text for reports."""
        whole = SourceText(self.text)
        return SourceText(self.text, [whole.lines.position(cell)[0] for cell in self.cells])

    def to_bytes(self) -> bytes:
        """The whole file.

        Raises: UnreadableSource: if its encoding lacks a character.
        """
        return self.encode(self.text, self.cells)


def read_document(data: bytes, path: str, *, notebook: bool) -> Document:
    """Decode the bytes of a file.

    Raises: UnreadableSource: if they are not text in the declared encoding, or not a notebook.
    """
    if notebook:
        from devlint.project.notebook import Notebook, NotebookError  # noqa: PLC0415  # most files are none

        try:
            read = Notebook.read(data)
        except NotebookError as error:
            raise UnreadableSource(path, 1, 1, str(error)) from None
        return Document(read.text, read.encode, read.starts)
    decoded = decode(data, path)

    def encode(text: str, _: Sequence[int]) -> bytes:
        return decoded.encode(text)

    return Document(decoded.text, encode)


def _moved(offset: int, edits: Sequence[Edit]) -> int:
    """An offset after edits. Text inserted exactly there comes before it."""
    return offset + sum(len(edit.content) - (edit.end - edit.start) for edit in edits if edit.start < offset)
