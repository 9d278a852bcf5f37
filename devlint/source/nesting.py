"""The nesting depth of brackets. LibCST's native parser recurses with it and would overflow its stack."""

from __future__ import annotations

import re

MAX_DEPTH = 200
"""Python's own tokenizer allows no more (`MAXLEVEL` in CPython's `Parser/lexer/state.h`)."""

_NOT_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))
_PAIRS = (b"()", b"[]", b"{}")
_OPENERS = frozenset("([{")
_CLOSERS = frozenset(")]}")
_CODE = re.compile(
    r"""\#[^\r\n]*
    | (?P<prefix>\b[a-zA-Z]{1,2})? (?P<string>
        \"{3} (?: [^\\] | \\. )*? (?: \"{3} | \Z )
      | '{3} (?: [^\\] | \\. )*? (?: '{3} | \Z )
      | "(?: [^"\\\r\n] | \\. )* (?: " | (?=[\r\n]) | \\?\Z )
      | '(?: [^'\\\r\n] | \\. )* (?: ' | (?=[\r\n]) | \\?\Z ) )
    | [()\[\]{}]""",
    re.VERBOSE | re.DOTALL,
)


def is_too_deep(text: str) -> bool:
    """Whether brackets nest deeper than Python allows."""
    brackets = text.encode("utf-8", "surrogatepass").translate(None, _NOT_BRACKETS)
    return _depth_bound(brackets) > MAX_DEPTH and _depth(text) > MAX_DEPTH


def _depth_bound(brackets: bytes) -> int:
    """An upper bound of the depth that is cheap to compute: innermost pairs are removed until none is left.

    Brackets in strings and comments remain.
    """
    rounds = 0
    while brackets and rounds <= MAX_DEPTH:
        inner = brackets
        for pair in _PAIRS:
            inner = inner.replace(pair, b"")
        if len(inner) == len(brackets):
            break
        brackets = inner
        rounds += 1
    return rounds * len(_PAIRS) + len(brackets)


def _depth(text: str) -> int:
    """The greatest depth outside of comments and plain strings; fields of f-strings count."""
    depth = deepest = 0
    for match in _CODE.finditer(text):
        prefix = set((match["prefix"] or "").lower())
        string = match["string"]
        found = match[0] if string is None else string
        if found[0] == "#" or (string is not None and prefix.isdisjoint("ft")):
            continue
        outer = depth
        for character in found:
            if character in _OPENERS:
                depth += 1
                deepest = max(deepest, depth)
            elif character in _CLOSERS:
                depth = max(depth - 1, 0)
        if string is not None:
            depth = outer  # brackets in the text of an f-string need no partners
    return deepest
