"""From text to LibCST's tree, with one error for all that can go wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from devlint.model.syntax import module_tree
from devlint.source.decode import Decoded, decode
from devlint.source.nesting import is_too_deep
from devlint.source.stack import with_stack
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    import libcst as cst

__all__ = ["Decoded", "UnreadableSource", "decode", "parse"]

_BYTES_PER_CHARACTER = 1536
"""Half as much again as LibCST 1.9 takes at most: `-----x` nests one level a character, with 1,042 bytes."""
_BYTES_FOR_BLOCKS = 8 << 20
"""What a hundred blocks and two hundred brackets in each other take, of which Python allows no more, and what
is on the stack already."""
_PLACE = re.compile(r"error at (\d+):(\d+): ")


def parse(text: str | bytes, path: str) -> cst.Module:
    """Parse a whole module. Bytes are decoded first, see `decode`.

    Raises:
        UnreadableSource: the text is no Python that LibCST knows, or nests brackets deeper than Python's own
            parser allows.
    """
    # LibCST takes longer to import than most files take to check: it waits for the first that matters.
    import libcst as cst  # noqa: PLC0415

    source = decode(text, path).text if isinstance(text, bytes) else text
    _refuse_characters(source, path)
    if is_too_deep(source):
        raise UnreadableSource(path, 1, 1, "brackets are nested too deep")
    try:
        return with_stack(_room(source), lambda: cst.parse_module(source))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # LibCST has several kinds, and a panic of native code is no `Exception`
        failure = _diagnose(source) or _translated(error)
    if "\f" in source:
        from devlint.source.form_feeds import without_form_feeds  # noqa: PLC0415  # few texts need it

        without = without_form_feeds(source)
        if without != source:
            return parse(without, path)
    raise UnreadableSource(path, *failure)


def _room(source: str) -> int:
    """A stack on which LibCST's parser, which recurses with the source and does not check, has room."""
    return _BYTES_FOR_BLOCKS + _BYTES_PER_CHARACTER * len(source)


def _refuse_characters(source: str, path: str) -> None:
    """Characters that Python takes in no source; they are searched for because LibCST lets some pass."""
    try:
        source.encode()
    except UnicodeEncodeError as error:
        _refuse(source, error.start, path, "lone surrogate")
    null = source.find("\0")
    if null >= 0:
        _refuse(source, null, path, "null character")


def _refuse(source: str, offset: int, path: str, what: str) -> None:
    lines = re.split(r"\r\n?|\n", source[:offset])
    raise UnreadableSource(path, len(lines), len(lines[-1]) + 1, f"source has a {what}")


def _diagnose(source: str) -> tuple[int, int, str] | None:
    """What Python's own parser says, which explains itself better; None if it finds nothing wrong."""
    try:
        module_tree(source)
    except SyntaxError as error:
        return max(error.lineno or 1, 1), max(error.offset or 1, 1), _one_line(error.msg)
    except (ValueError, RecursionError):
        return None
    return None


def _translated(error: BaseException) -> tuple[int, int, str]:
    """Where LibCST stopped. Its parser tells in the message, its tokenizer knows the line only."""
    message = _one_line(str(getattr(error, "message", error)))
    place = _PLACE.search(message)
    if place is not None:  # and then comes a long list of tokens that would have been right
        return int(place[1]), int(place[2]) + 1, "LibCST cannot parse it from here on"
    return max(getattr(error, "raw_line", 1), 1), 1, f"LibCST cannot parse it: {message}"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]
