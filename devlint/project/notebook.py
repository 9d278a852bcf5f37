"""Jupyter notebooks: conversion of their code cells to one Python text, and back.

The cells of a notebook share one namespace, and are therefore analyzed as one text, in order. Lines for
IPython only (`%magic`, `!command`, `help?`) become comments of the same length. Source: nbformat 4
(https://nbformat.readthedocs.io) and IPython's documentation of magics.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from devlint.model.syntax import module_tree
from devlint.project.json_spans import Span, items, member


class NotebookError(ValueError):
    """A file is not a notebook. The message says why, in a few words."""


PYTHON_CELL_MAGICS = frozenset({"capture", "prun", "time", "timeit"})
"""Cell magics that run the cell as Python in the notebook's namespace."""

_ASSIGNED = re.compile(r"^([ \t]*[\w.,\[\]][\w.,\[\] \t]*=[ \t]*)([%!])(?!=)")
_LINE_MAGIC = re.compile(r"^([ \t]*)([%!?]|/\w|,\w|;\w)")
_HELP = re.compile(r"^([ \t]*%{0,2}[\w.*]+)\?{1,2}[ \t]*$")
_CELL_MAGIC = re.compile(r"^%%(\w+)")


@dataclass(frozen=True, slots=True)
class Notebook:
    """The content of a notebook."""

    text: str
    """The code cells, with magics as comments; each cell ends with a line end."""
    starts: tuple[int, ...]
    """The offset at which each code cell starts."""
    _written: str
    _code: tuple[int, ...]
    """The index of each code cell among all cells."""

    @classmethod
    def read(cls, data: bytes) -> Notebook:
        """Read a notebook.

        Raises: NotebookError: if it is not a notebook, or has a format before 4.
        """
        try:
            written = data.decode("utf-8")
            document = json.loads(written)
        except UnicodeDecodeError:
            raise NotebookError("it is not UTF-8 text, as a notebook must be") from None
        except json.JSONDecodeError as error:
            raise NotebookError(f"it is not JSON, as a notebook must be: {error}") from None
        except ValueError:
            raise NotebookError("it contains a number with more digits than Python reads") from None
        except RecursionError:
            raise NotebookError("its JSON is nested too deeply to be read") from None
        cells = document.get("cells") if isinstance(document, dict) else None
        if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
            raise NotebookError("it has no list of cells, as notebooks have since format 4")
        for i, cell in enumerate(cells):
            if not isinstance(cell.get("cell_type"), str):
                raise NotebookError(f"its `cells[{i}]` has no `cell_type`")
        code = tuple(i for i, cell in enumerate(cells) if cell["cell_type"] == "code")
        if not _is_python(document):
            code = ()
        sources = [_python(_source(cells[i], i)) for i in code]
        starts: list[int] = []
        text = ""
        for source in sources:
            starts.append(len(text))
            text += source + "\n"
        return cls(text, tuple(starts), written, code)

    def encode(self, text: str, starts: Sequence[int]) -> bytes:
        """The bytes of the file with other code, whose cells start at the given offsets.

        Everything except the sources of changed cells stays the same, byte for byte.
        """
        was = [*self.starts, len(self.text)]
        now = [*starts, len(text)]
        parts: list[str] = []
        at = 0
        changes = zip(self._sources(), pairwise(was), pairwise(now), strict=True)
        for (gap, (start, end)), (old_start, old_end), (new_start, new_end) in changes:
            old, new = self.text[old_start : old_end - 1], text[new_start : new_end - 1]
            if old != new:
                source = json.loads(self._written[start:end])
                changed = _restored("".join(source), old, new)
                # A source is a list of lines or one string, and keeps its form.
                anew = self._quoted(changed) if isinstance(source, str) else self._listed(changed, gap)
                parts += (self._written[at:start], anew)
                at = end
        return "".join([*parts, self._written[at:]]).encode()

    def _sources(self) -> Iterator[tuple[str, Span]]:
        """The position of the source of each code cell, and the white space before its key."""
        written = self._written
        _, (at, _) = member(written, "cells")
        cells = list(items(written, at))
        for index in self._code:
            start, _ = cells[index]
            (key, _), value = member(written, "source", start)
            before = written[start:key]
            yield before[len(before.rstrip()) :], value

    def _quoted(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=self._written.isascii() and "\\u" in self._written)

    def _listed(self, source: str, gap: str) -> str:
        """A source as a list of lines, in the layout of a member of a cell after `gap`."""
        lines = [self._quoted(line) for line in re.split(r"(?<=\n)", source) if line]
        indent = gap.lstrip("\r\n")
        if not lines or indent == gap:
            return f"[{f',{gap}'.join(lines)}]"
        inner = gap + indent[: len(indent) // 3]  # the members of a cell are the third level
        return f"[{inner}{f',{inner}'.join(lines)}{gap}]"


def _is_python(document: dict[str, Any]) -> bool:
    metadata = document.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        table = metadata.get(key)
        language = table.get(name) if isinstance(table, dict) else None
        if isinstance(language, str):
            return language.lower() in ("python", "ipython")
    return True


def _source(cell: dict[str, Any], index: int) -> str:
    source = cell.get("source")
    lines = [source] if isinstance(source, str) else source
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise NotebookError(f"the `source` of its `cells[{index}]` is neither text nor a list of lines")
    return "".join(lines)


def _python(source: str) -> str:
    """The code of a cell, with lines for IPython only as comments of the same length."""
    cell_magic = _CELL_MAGIC.match(source)
    if cell_magic and cell_magic[1] not in PYTHON_CELL_MAGICS:
        return "\n".join(_comment(line) for line in source.split("\n"))
    if _parses(source):
        return source
    lines: list[str] = []
    continued = False
    for line in source.split("\n"):
        plain = _comment(line) if continued else _without_magic(line)
        continued = plain != line and line.endswith("\\")
        lines.append(plain)
    return "\n".join(lines)


def _without_magic(line: str) -> str:
    if match := _ASSIGNED.match(line):
        return _cut(line, match.end(1), "0#")
    if match := _LINE_MAGIC.match(line):
        return _cut(line, match.end(1), "0#")
    if match := _HELP.match(line):
        return _cut(line, match.end(1), "#")
    return line


def _cut(line: str, at: int, replacement: str) -> str:
    replacement = replacement[: len(line) - at]
    return line[:at] + replacement + line[at + len(replacement) :]


def _comment(line: str) -> str:
    return "#" + line[1:] if line else line


def _restored(source: str, old: str, new: str) -> str:
    """The source of a cell after applying the change between two texts of it, with its magics restored."""
    originals: dict[str, list[str]] = {}
    for plain, original in zip(old.split("\n"), source.split("\n"), strict=True):
        if plain != original:
            originals.setdefault(plain, []).append(original)
    # Two magics may be equal as comments. No fix reorders lines, so they are restored in order.
    lines = [originals[line].pop(0) if originals.get(line) else line for line in new.split("\n")]
    return "\n".join(lines)


def _parses(source: str) -> bool:
    try:
        module_tree(source)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True
