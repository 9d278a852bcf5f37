"""Path patterns, as in a .gitignore file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_SPECIAL = frozenset("*?[]!/\\# \t")
_BELOW = re.compile(r"\*\*/([^*?\[\]!/\\# \t]+)/\*\*\Z")
"""`**/tests/**`: everything below a directory of that name."""


class Patterns:
    """A list of patterns, relative to a directory; later ones take precedence, `!` negates.

    Plain names (`build`, `.venv`), which are the most frequent patterns, and directories (`**/tests/**`) are
    looked up in a set. pathspec is only imported for other patterns.
    """

    def __init__(self, root: Path, lines: Iterable[str]) -> None:
        self.root = root
        self.lines = tuple(lines)
        only_names = not any(line.lstrip().startswith("!") for line in self.lines)
        self._names = frozenset(
            line for line in self.lines if only_names and line and not _SPECIAL.intersection(line)
        )
        below = {line: match[1] for line in self.lines if only_names and (match := _BELOW.match(line))}
        self._below = frozenset(below.values())
        self._globs = tuple(
            line for line in self.lines if line and line not in self._names and line not in below
        )

    @cached_property
    def _spec(self) -> GitIgnoreSpec:
        from devlint.project.globs import spec_of  # noqa: PLC0415  # slow to import, and rarely needed

        # Git ignores invalid patterns. In a configuration they are errors, see `is_pattern`.
        return spec_of(line for line in self._globs if is_pattern(line))

    def decide(self, path: Path, *, is_directory: bool = False) -> bool | None:
        """Whether an absolute path, or a directory above it, matches.

        False if a `!` pattern negates it, None if no pattern applies. Of a path outside of the root, only the
        name is compared.
        """
        try:
            relative = path.relative_to(self.root)
        except ValueError:
            relative = Path(path.name)
        if not self._names.isdisjoint(relative.parts):
            return True
        if not self._below.isdisjoint(relative.parts[:-1]):
            return True
        if not self._globs or not relative.parts:
            return None
        return self._spec.check_file(relative.as_posix() + ("/" if is_directory else "")).include

    def match(self, path: Path, *, is_directory: bool = False) -> bool:
        """Whether an absolute path, or a directory above it, matches."""
        return self.decide(path, is_directory=is_directory) is True

    def sparing(self, directory: Path) -> Patterns:
        """These patterns without those that match a directory that the user passed."""
        if not self.match(directory, is_directory=True):
            return self
        kept = (
            line
            for line in self.lines
            if not Patterns(self.root, (line,)).match(directory, is_directory=True)
        )
        return Patterns(self.root, kept)


def is_pattern(line: str) -> bool:
    """Whether the text is a valid pattern; `!` alone is not."""
    if not _SPECIAL.intersection(line):
        return True
    from devlint.project.globs import spec_of  # noqa: PLC0415  # slow to import, and rarely needed

    try:
        spec_of((line,))
    except ValueError:
        return False
    return True
