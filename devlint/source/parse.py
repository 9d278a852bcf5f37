"""From text to LibCST's tree, with one kind of error."""

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
"""Half as much again as LibCST 1.9 needs at most: `-----x` nests one level for each character, which takes
1,042 bytes."""
_BYTES_FOR_BLOCKS = 8 << 20
"""For a hundred blocks and two hundred nested brackets, the most that Python allows, and for what is on the
stack already."""
_PLACE = re.compile(r"error at (\d+):(\d+): ")


def parse(text: str | bytes, path: str) -> cst.Module:
    """Parse a whole module. Bytes are decoded first, see `decode`.

    Raises: | UnreadableSource: LibCST cannot parse the text, or brackets nest deeper than Python allows.
    """
    # LibCST takes longer to import than most files take to check: imported for the first file that needs it.
    import libcst as cst  # noqa: PLC0415

    source = decode(text, path).text if isinstance(text, bytes) else text
    _refuse_characters(source, path)
    if is_too_deep(source):
        raise UnreadableSource(path, 1, 1, "brackets are nested too deep")
    try:
        return with_stack(_room(source), lambda: cst.parse_module(source))
    except (KeyboardInterrupt, SystemExit):
        raise
    except (
        BaseException
    ) as error:  # LibCST has several kinds of errors, and a panic of native code is not an `Exception`
        failure = _diagnose(source) or _translated(error)
    if "\f" in source:
        from devlint.source.form_feeds import without_form_feeds  # noqa: PLC0415  # few texts need it

        without = without_form_feeds(source)
        if without != source:
            return parse(without, path)
    raise UnreadableSource(path, *failure)


def _room(source: str) -> int:
    """Run LibCST's parser with a stack that is large enough, because it recurses with the source and does not
    check."""
    return _BYTES_FOR_BLOCKS + _BYTES_PER_CHARACTER * len(source)


def _refuse_characters(source: str, path: str) -> None:
    """Reject characters that Python does not allow in source text; LibCST accepts some of them."""
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
    """The error of Python's own parser, which is clearer; None if it accepts the text."""
    try:
        module_tree(source)
    except SyntaxError as error:
        return max(error.lineno or 1, 1), max(error.offset or 1, 1), _one_line(error.msg)
    except (ValueError, RecursionError):
        return None
    return None


def _translated(error: BaseException) -> tuple[int, int, str]:
    """The place where LibCST stopped. Its parser gives it in the message, its tokenizer only gives the
    line."""
    message = _one_line(str(getattr(error, "message", error)))
    place = _PLACE.search(message)
    if place is not None:  # a long list of expected tokens follows
        return int(place[1]), int(place[2]) + 1, "LibCST cannot parse it from here on"
    return max(getattr(error, "raw_line", 1), 1), 1, f"LibCST cannot parse it: {message}"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]
