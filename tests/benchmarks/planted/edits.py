"""Finds the parts of a file whose removal may put tensors on the wrong device."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

DEVICE = re.compile(r"dev|cuda|gpu", re.IGNORECASE)
"""The argument of a move to a device."""
SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
"""Expressions that need no parentheses in any context."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One part that is removed."""

    kind: str
    """`move`, `device=`, `register_buffer` or `.cpu()`."""
    line: int
    start: int
    """Bytes from the beginning of the file."""
    end: int
    replacement: str

    def apply(self, source: bytes) -> bytes:
        """The file without it."""
        return source[: self.start] + self.replacement.encode() + source[self.end :]


def edits(source: bytes) -> Iterator[Edit]:
    """All parts that can be removed from a file."""
    tree = ast.parse(source)
    offsets = [0]
    for line in source.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for kind, begin, end, replacement in _of_call(node, source, offsets):
                yield Edit(kind, node.lineno, begin, end, replacement)


def _of_call(call: ast.Call, source: bytes, offsets: list[int]) -> Iterator[tuple[str, int, int, str]]:
    def span(node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return offsets[node.lineno - 1] + node.col_offset, offsets[node.end_lineno - 1] + node.end_col_offset

    def text(node: ast.expr) -> str:
        begin, end = span(node)
        return source[begin:end].decode("utf-8", "replace")

    if isinstance(call.func, ast.Attribute):
        kind = _kind(call, call.func.attr, text)
        receiver = text(call.func.value)
        if kind == "register_buffer":
            name = ast.literal_eval(call.args[0])
            value = text(call.args[1])
            yield kind, *span(call), f"{receiver}.{name} = {f'({value})' if chr(10) in value else value}"
        elif kind:
            simple = isinstance(call.func.value, SIMPLE)
            yield kind, *span(call), receiver if simple else f"({receiver})"
    for keyword in call.keywords:
        if keyword.arg == "device":
            begin, end = span(keyword.value)
            begin = source.rindex(b"device", 0, begin)
            yield "device=", *_with_comma(source, begin, end), ""


def _kind(call: ast.Call, method: str, text: object) -> str:
    """The kind of removal that is possible for a method call; empty if none is."""
    assert callable(text)
    passed = [*call.args, *(keyword.value for keyword in call.keywords)]
    if method == "cuda":
        return "move"
    if method == "to" and call.args and DEVICE.search(text(call.args[0])):
        return "move"
    if method == "to" and any(keyword.arg == "device" for keyword in call.keywords) and len(passed) == 1:
        return "move"
    if method == "cpu" and not passed:
        return ".cpu()"
    if method == "register_buffer" and len(call.args) == 2:
        name = call.args[0]
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value.isidentifier():
            return "register_buffer"
    return ""


def _with_comma(source: bytes, begin: int, end: int) -> tuple[int, int]:
    """The bytes of a keyword with the comma that belongs to it."""
    before = source[:begin].rstrip()
    if before.endswith(b","):
        return len(before) - 1, end
    after = re.compile(rb"\s*,\s*").match(source, end)
    return begin, after.end() if after else end
