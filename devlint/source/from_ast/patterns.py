"""What the patterns of a `match` statement bind."""

from __future__ import annotations

import ast


def bound_names(pattern: ast.pattern) -> tuple[str, ...]:
    """The names that a pattern binds, each once, in the order of the text."""
    names: dict[str, None] = {}
    _collect(pattern, names)
    return tuple(names)


def is_irrefutable(pattern: ast.pattern) -> bool:
    """Whether a pattern matches everything: `_`, a name, or `(pattern) as name` of such a one."""
    while isinstance(pattern, ast.MatchAs):
        if pattern.pattern is None:
            return True
        pattern = pattern.pattern
    return isinstance(pattern, ast.MatchOr) and any(map(is_irrefutable, pattern.patterns))


def _collect(pattern: ast.pattern, names: dict[str, None]) -> None:
    for inner in ast.iter_child_nodes(pattern):
        if isinstance(inner, ast.pattern):
            _collect(inner, names)
    if isinstance(pattern, (ast.MatchAs, ast.MatchStar)) and pattern.name is not None:
        names[pattern.name] = None
    elif isinstance(pattern, ast.MatchMapping) and pattern.rest is not None:
        names[pattern.rest] = None
