"""The changes of fixes as a unified diff."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from devlint.model.visible import visible

_COMMAND = re.compile(r"^[ \t]*::\S.*::|##\w*\[|\r(?!\n)", re.MULTILINE)
"""A line that a CI server would take for a command, or a character that starts one within a line."""
_NO_END = "\\ No newline at end of file"


def patch(path: str, before: str, after: str) -> str:
    """A diff that `patch` and `git apply` accept; empty if nothing changes. Lines keep their ends."""
    name = visible(path)
    lines = difflib.unified_diff(_split(before), _split(after), fromfile=name, tofile=name)
    return "".join(_ended(lines))


def for_stream(diff: str, *, terminal: bool) -> str:
    """A patch for a stream. A patch cannot be escaped, so a line replaces one that contains commands of CI
    servers. For a terminal, control characters are made visible."""
    if _COMMAND.search(diff):
        name = diff.partition("\n")[0].removeprefix("--- ")
        why = "a line of it is a command for CI servers, or has a carriage return inside"
        return f"devlint: the patch of {name} is not shown: {why}; `--output-file` writes it\n"
    return "".join(f"{visible(line)}\n" for line in diff.split("\n")[:-1]) if terminal else diff


def _split(text: str) -> list[str]:
    # Not splitlines(), which also splits at form feeds and other characters that end no line of a patch.
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n{_NO_END}\n"
