"""The values of string literals, computed from their source text.

`ast.literal_eval` returns the same values, but parses each literal anew and warns about invalid escapes. A
file has thousands of literals, nearly all of them plain.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from devlint.model import SiteId
from devlint.source import ir

_SIMPLE_ESCAPES = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\n": "",
}
_BYTES_ESCAPE = re.compile(r"\\(?:([\\'\"abfnrtv\n])|([0-7]{1,3})|x([0-9a-fA-F]{2}))")
_TEXT_ESCAPE = re.compile(
    _BYTES_ESCAPE.pattern[:-1] + r"|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^{}]+)\})",
)
_QUOTES = frozenset("'\"")


def string_value(source: str) -> str | bytes:
    r"""The value of a string literal without replacement fields: `r"\d"`, `b'x'`, `'''text'''`. An invalid
    escape is kept as it is written."""
    if source[0] in _QUOTES and "\\" not in source and "\r" not in source:
        return source[3:-3] if source[:3] in {"'''", '"""'} else source[1:-1]
    prefix, body = _split(source)
    if "b" in prefix:
        text = body if "r" in prefix else _BYTES_ESCAPE.sub(_unescaped_byte, body)
        return text.encode("latin-1", "replace")
    return body if "r" in prefix else unescape(body)


def unescape(body: str) -> str:
    """The text of a string's body, which has no quotes and `\\n` for each newline."""
    return _TEXT_ESCAPE.sub(_unescaped, body) if "\\" in body else body


def joined(site: SiteId, parts: Iterable[str | bytes | ir.Expression]) -> ir.Constant | ir.Format:
    """The value of adjacent literals, or of the parts of a formatted string, with neighboring texts
    joined."""
    merged: list[str | ir.Expression] = []
    octets: list[bytes] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, bytes):
            octets.append(part)
        elif isinstance(part, str) and isinstance(last, str):
            merged[-1] = last + part
        elif part != "":
            merged.append(part)
    if octets:  # then all are, or it would be no Python
        return ir.Constant(site, b"".join(octets))
    match merged:
        case []:
            return ir.Constant(site, "")
        case [str() as text]:
            return ir.Constant(site, text)
        case _:
            return ir.Format(site, tuple(merged))


def unify_newlines(body: str) -> str:
    """The body with `\\n` for each newline, as Python reads it, whatever newlines the file has."""
    return body.replace("\r\n", "\n").replace("\r", "\n") if "\r" in body else body


def _split(source: str) -> tuple[str, str]:
    start = 0
    while source[start] not in _QUOTES:
        start += 1
    width = 3 if source[start : start + 3] in {"'''", '"""'} else 1
    return source[:start].lower(), unify_newlines(source[start + width : -width])


def _unescaped(match: re.Match[str]) -> str:
    simple, octal, hexadecimal, short, long, name = match.groups()
    try:
        if name:
            return unicodedata.lookup(name)
        return _character(simple, octal, hexadecimal or short or long)
    except (KeyError, ValueError, OverflowError):
        return match[0]


def _unescaped_byte(match: re.Match[str]) -> str:
    simple, octal, hexadecimal = match.groups()
    return chr(ord(_character(simple, octal, hexadecimal)) & 0xFF) if simple != "\n" else ""


def _character(simple: str | None, octal: str | None, hexadecimal: str | None) -> str:
    if simple:
        return _SIMPLE_ESCAPES[simple]
    return chr(int(octal, 8) if octal else int(hexadecimal or "", 16))
