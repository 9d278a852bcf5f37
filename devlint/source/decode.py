"""Decoding a file as Python does, and encoding it to the same bytes."""

from __future__ import annotations

import io
import re
from codecs import BOM_UTF8
from itertools import islice
from typing import NamedTuple

from devlint.model.syntax import is_program
from devlint.source.unreadable import UnreadableSource

_NEWLINE = rb"\r\n?|\n"
"""Compiled on first use: a file with cached findings is not decoded."""


class Decoded(NamedTuple):
    """The text of a file with its newlines unchanged, and without its byte order mark."""

    text: str
    encoding: str
    """The name of the codec, `utf-8` if nothing else is declared."""
    bom: bool
    """Whether the file begins with UTF-8's byte order mark."""
    path: str = ""
    lossy: bool = False
    """Whether a comment contains invalid bytes, which Python accepts; the text has replacement characters
    there."""

    def encode(self, text: str) -> bytes:
        """Encode another text in the encoding of the file. The decoded text gives exactly the bytes of the
        file.

        Raises: | UnreadableSource: the encoding cannot encode a character of `text`, or bytes would be lost.
        """
        if self.lossy:
            raise UnreadableSource(self.path, 1, 1, f"a comment holds bytes that are not {self.encoding}")
        try:
            data = text.encode(self.encoding)
        except UnicodeEncodeError as error:
            line, column = _position(text[: error.start])
            reason = f"{text[error.start]!r} cannot be written in the file's encoding, {self.encoding}"
            raise UnreadableSource(self.path, line, column, reason) from None
        return BOM_UTF8 + data if self.bom else data


def decode(data: bytes, path: str) -> Decoded:
    """Decode a source file by its byte order mark or its coding cookie (PEP 263), else as UTF-8.

    Raises: | UnreadableSource: the encoding is unknown, the bytes are invalid in it, or encoding the text
    again | would change bytes.
    """
    bom = data.startswith(BOM_UTF8)
    body = data[len(BOM_UTF8) :] if bom else data
    encoding = _declared_encoding(data, path)
    try:
        text = body.decode(encoding)
        if encoding != "utf-8":
            _ended(body).decode(encoding)
    except UnicodeDecodeError as error:
        if encoding == "utf-8" and is_program(data):
            return Decoded(body.decode(encoding, "replace"), encoding, bom, path, lossy=True)
        line, column = _position(body[: error.start].decode("utf-8", "replace"))
        reason = f"byte 0x{body[error.start]:02x} is not {encoding}"
        raise UnreadableSource(path, line, column, reason) from None
    except (LookupError, ValueError) as error:
        raise UnreadableSource(path, 1, 1, f"cannot be decoded as {encoding}: {error}") from None
    if encoding != "utf-8" and not _writes_back(text, encoding, body):
        raise UnreadableSource(path, 1, 1, f"decoding as {encoding} loses bytes; save the file as UTF-8")
    if text.startswith(_MARK):  # Python's parser would remove it from the text
        raise UnreadableSource(path, 1, 1, "invalid non-printable character U+FEFF")
    return Decoded(text, encoding, bom, path)


_MARK = "\ufeff"


def _ended(body: bytes) -> bytes:
    """Add a newline after the last line, as Python does before decoding; some encodings reject it there."""
    return body if body.endswith((b"\n", b"\r")) else body + b"\n"


def _declared_encoding(data: bytes, path: str) -> str:
    first = _first_lines(data)
    if b"coding" not in first:
        return "utf-8"
    from tokenize import detect_encoding  # noqa: PLC0415  # few files declare an encoding

    try:
        encoding, _ = detect_encoding(io.BytesIO(first).readline)
    except SyntaxError as error:
        if "invalid or missing encoding declaration" in str(error):
            return "utf-8"  # the codec's error names the invalid byte
        raise UnreadableSource(path, 1, 1, str(error)) from None
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _first_lines(data: bytes) -> bytes:
    """The first two lines, each ended by `\n`, the only newline that `detect_encoding` knows."""
    lines: list[bytes] = []
    start = 0
    for newline in islice(re.finditer(_NEWLINE, data), 2):
        lines.append(data[start : newline.start()])
        start = newline.end()
    if len(lines) < 2:
        lines.append(data[start:])
    return b"\n".join(lines) + b"\n"


def _writes_back(text: str, encoding: str, body: bytes) -> bool:
    try:
        return text.encode(encoding) == body
    except UnicodeError:
        return False


def _position(before: str) -> tuple[int, int]:
    """The line and column, from 1, of the end of `before`."""
    lines = re.split(r"\r\n?|\n", before)
    return len(lines), len(lines[-1]) + 1
