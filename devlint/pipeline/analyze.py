"""From a text to its findings: screen, observe, judge, resolve."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from devlint.model.syntax import module_tree
from devlint.rules import registry
from devlint.source.screen import may_matter

if TYPE_CHECKING:
    import ast

    from devlint.model import Finding
    from devlint.rules.base import Rule
    from devlint.source import Observation
    from devlint.source.library import Place

_MAX_DEPTH = 2000
"""How deep syntax may nest: about as deep as CPython 3.11 lets it. Earlier releases know no limit."""
_LONG_TEXT = 150_000
_LONG_LINE = 2000


def analyze(
    text: str, path: str, on: Collection[str], place: Callable[[], Place] | None = None
) -> list[Finding]:
    """What the rules that are on say of a text, in order. `path` is what sites will name.

    From its `place` in a library, which is asked for if the text can matter, the other files of the project
    are followed where it uses them.

    Raises:
        UnreadableSource: if the text cannot be parsed.
        RecursionError: if it is nested too deeply.
    """
    if not may_matter(text.encode("utf-8", "surrogatepass")):
        _require_syntax(text, path)
        return []
    _refuse_depth(text)
    # The interpreter and the rules take longer to import than most files take to check.
    from devlint.rules.engine import subjects  # noqa: PLC0415
    from devlint.source import observe  # noqa: PLC0415
    from devlint.source.misread import MisreadError  # noqa: PLC0415

    at = None if place is None else place()
    rules = [rule for rule in registry.all_rules() if rule.code in on]
    wanted = subjects(rules)
    try:
        return _judged(observe(text, path, place=at, wanted=wanted), rules)
    except MisreadError:
        return _judged(observe(text, path, place=at, wanted=wanted, with_libcst=True), rules)


def _judged(observation: Observation, rules: Sequence[Rule[Any]]) -> list[Finding]:
    from devlint.rules.engine import judge, resolve  # noqa: PLC0415

    drafts = judge(observation.events, rules)
    return resolve(drafts, observation) if drafts else []


def _require_syntax(text: str, path: str) -> None:
    """Refuse text that is no Python, though it cannot matter to any rule.

    The standard library's parser is eight times as fast as LibCST's, which has the last word because it knows
    grammars newer than the running Python.
    """
    try:
        module_tree(text)
    except (SyntaxError, ValueError):
        from devlint.source.parse import parse  # noqa: PLC0415  # imports LibCST

        parse(text, path)


def _refuse_depth(text: str) -> None:
    """Refuse what is nested too deeply: a sum of ten thousand terms, say.

    LibCST's parser takes quadratic time for it, 3 s for 4,000 terms. So many do not fit into a text that is
    short and has short lines, so that only others are looked at: one of 200 real files.
    """
    if len(text) < _LONG_TEXT and max(map(len, text.split("\n"))) < _LONG_LINE:
        return
    import ast  # noqa: PLC0415

    try:
        level: list[ast.AST] = [module_tree(text)]
    except (SyntaxError, ValueError):
        return
    for _ in range(_MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    if level:
        raise RecursionError
