"""From offsets in the text as LibCST writes it to offsets in the text as it was read.

They are the same for nearly all files, but LibCST's parser drops a few characters that mean nothing: a byte
order mark, a form feed that begins a line, a backslash before an indented line, the space in `except E :`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

_BLOCK = 4096


class Alignment:
    """The mapping from offsets of `written` to offsets of `text`, which has the same characters and a few
    more."""

    def __init__(self, written: str, text: str) -> None:
        """Align the two texts.

        Raises: ValueError: `text` does not contain the characters of `written` in their order.
        """
        self._breaks: list[int] = []
        """Offsets in `written` before which `text` has more characters."""
        self._dropped: list[int] = [0]
        """The number of dropped characters before each of these offsets, and after the last."""
        at = dropped = 0
        while True:
            at += _same(written, at, text, at + dropped)
            if at == len(written):
                return
            if at + dropped >= len(text):
                raise ValueError("the text lacks characters of what was written")
            dropped += 1
            if self._breaks and self._breaks[-1] == at:
                self._dropped[-1] = dropped
            else:
                self._breaks.append(at)
                self._dropped.append(dropped)

    def start(self, offset: int) -> int:
        """The offset in the text of a start: after the characters dropped there."""
        return offset + self._dropped[bisect_right(self._breaks, offset)]

    def end(self, offset: int) -> int:
        """The offset in the text of an end: before the characters dropped there."""
        return offset + self._dropped[bisect_left(self._breaks, offset)]


def _same(left: str, left_start: int, right: str, right_start: int) -> int:
    """The number of equal characters from the two starts on."""
    count = 0
    size = _BLOCK
    while size:
        ours = left[left_start + count : left_start + count + size]
        if ours and ours == right[right_start + count : right_start + count + size]:
            count += len(ours)
        else:
            size //= 2
    return count
