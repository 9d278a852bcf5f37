"""What the patterns of a `match` statement bind."""

from __future__ import annotations

import libcst as cst


def bound_names(pattern: cst.MatchPattern) -> tuple[str, ...]:
    """The names that a pattern binds, each once, in the order of the text."""
    names: dict[str, None] = {}
    _collect(pattern, names)
    return tuple(names)


def is_irrefutable(pattern: cst.MatchPattern) -> bool:
    """Whether a pattern matches everything: `_`, a name, or `(pattern) as name` of such a one."""
    while isinstance(pattern, cst.MatchAs):
        if pattern.pattern is None:
            return True
        pattern = pattern.pattern
    if isinstance(pattern, cst.MatchOr):
        return any(is_irrefutable(alternative.pattern) for alternative in pattern.patterns)
    return False


def _collect(node: cst.CSTNode, names: dict[str, None]) -> None:
    if isinstance(node, (cst.MatchAs, cst.MatchStar)):
        if isinstance(node, cst.MatchAs) and node.pattern is not None:
            _collect(node.pattern, names)
        if node.name is not None:
            names[node.name.value] = None
    elif isinstance(node, (cst.MatchSequence, cst.MatchOr)):
        for element in node.patterns:
            _collect(element, names)
    elif isinstance(node, cst.MatchMapping):
        for item in node.elements:
            _collect(item.pattern, names)
        if node.rest is not None:
            names[node.rest.value] = None
    elif isinstance(node, cst.MatchClass):
        for argument in (*node.patterns, *node.kwds):
            _collect(argument, names)
    elif isinstance(node, cst.MatchSequenceElement):
        _collect(node.value, names)
    elif isinstance(node, (cst.MatchOrElement, cst.MatchKeywordElement)):
        _collect(node.pattern, names)
