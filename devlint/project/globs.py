"""Patterns of git's ignore files in at most quadratic time, even if they are hostile.

pathspec converts a pattern to a regular expression. With many `*`, it backtracks exponentially:
`*a*a*a*a*a*a*a*a*b` took minutes for a name of forty characters. But the first match of a part between two
`*` is as good as any later one, so that later ones need not be tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import count

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_STAR = r"[^/]*"
_STARS = re.compile(r"(?:\[\^/\]\*){2,}")
_SET = re.compile(r"\\.|\[\^/\]|(?P<set>\[(?:[^][\\]|\\.)+\])")
"""What matches one character: an escaped one, any one, or one of a set."""
_NO_SLASH = r"(?!/)"
"""A prefix for sets: in git, no set matches a slash; in pathspec, `[!a]` does."""
_BETWEEN_STARS = re.compile(
    rf"\[\^/\]\*((?:\[\^/\](?!\*)|{re.escape(_NO_SLASH)}\[(?:[^][\\]|\\.)+\]|\\.|[^][(){{}}|?*+\\/^$.])+)"
    r"(?=\[\^/\]\*)"
)
_DIRECTORIES = "(?:/.+)?/"
"""pathspec's regular expression for `/**/`."""


def spec_of(lines: Iterable[str]) -> GitIgnoreSpec:
    """The patterns of some lines.

    Raises: ValueError: if a line is not a pattern.
    """
    return GitIgnoreSpec(map(_pattern, lines))


def _pattern(line: str) -> GitIgnoreSpecPattern:
    pattern = GitIgnoreSpecPattern(line)
    if pattern.regex is None:
        return pattern
    known = pattern.regex.pattern
    tame = _tame(known)
    return pattern if tame == known else GitIgnoreSpecPattern(re.compile(tame), pattern.include)


def _tame(regex: str) -> str:
    """A regular expression for the same paths that does not backtrack into parts that have matched."""
    numbers = count()

    def settled(part: str) -> str:
        name = f"part{next(numbers)}"
        return f"(?=(?P<{name}>{part}))(?P={name})"  # Python 3.11 writes it `(?>...)`

    regex = _SET.sub(_without_slash, _STARS.sub(_STAR, regex))
    regex = _BETWEEN_STARS.sub(lambda found: settled(f"{_STAR}?{found[1]}"), regex)
    first, *inner = regex.split(_DIRECTORIES)
    if len(inner) < 2:
        return regex
    *inner, last = inner
    middle = (settled(f"(?:/.+?)??/{part}(?=/)") for part in inner)
    return f"{first}{''.join(middle)}{_DIRECTORIES}{last}"


def _without_slash(found: re.Match[str]) -> str:
    return found[0] if found["set"] is None else f"{_NO_SLASH}{found[0]}"
