"""What fixes would change, as a unified diff."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from devlint.report.place import visible

_NO_END = "\\ No newline at end of file"


def patch(path: str, before: str, after: str) -> str:
    """A diff that `patch` and `git apply` take, empty where nothing changes. Lines keep their ends."""
    name = visible(path)
    lines = difflib.unified_diff(_split(before), _split(after), fromfile=name, tofile=name)
    return "".join(_ended(lines))


def _split(text: str) -> list[str]:
    # Not splitlines(), which also splits at form feeds and other characters that end no line of a patch.
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n{_NO_END}\n"
