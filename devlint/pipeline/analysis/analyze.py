"""From a text to its findings: screen, observe, judge, resolve."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from devlint.model.syntax import module_tree
from devlint.pipeline.analysis.analysis import Analysis, Rules
from devlint.source.screen import may_matter

if TYPE_CHECKING:
    import ast

    from devlint.source import Observation
    from devlint.source.module_graph import ModuleFile

    Observer: TypeAlias = Callable[..., Observation]

_MAX_DEPTH = 2000
"""The deepest nesting that is accepted, about that of CPython 3.11. Earlier releases have no limit."""
_LONG_TEXT = 150_000
_LONG_LINE = 2000


def analyze(
    text: str,
    path: str,
    on: Rules,
    place: Callable[[], ModuleFile] | None = None,
    *,
    leads: Callable[[bytes, ast.Module], bool] | None = None,
    silenced: bool = False,
    observer: Observer | None = None,
) -> Analysis:
    """The results of executing a text as a program, by the rules that are on. `path` is the path in its
    sites.

    `place`, called if the text can have findings, is its file in a module graph, by which other files of the
    project are followed. `leads` tells whether a text that does not name torch starts a program that does.
    `silenced` requests what the observer withheld. `observer` replaces `devlint.source.observe`.

    Raises:
        UnreadableSource: if the text cannot be parsed.
        RecursionError: if it is nested too deeply.
    """
    data = text.encode("utf-8", "surrogatepass")
    if not may_matter(data):
        tree = _syntax(text, path)
        if tree is None or leads is None or not leads(data, tree):
            return Analysis()
    _refuse_depth(text)
    # Importing the abstract machine and the rules takes longer than checking most files.
    from devlint.pipeline.analysis.claims import claims, kept_back, wanted  # noqa: PLC0415
    from devlint.source import observe  # noqa: PLC0415

    at = None if place is None else place()
    observation = (observer or observe)(text, path, place=at, wanted=wanted(on.every))
    own = observation.place.path
    return Analysis(
        claims(observation, on),
        frozenset(each for each in observation.called if each[0] != own),
        frozenset((each.path, each.function, each.hypothesis, each.on_host) for each in observation.given),
        tuple(kept_back(observation, on)) if silenced else (),
        is_cut_short=observation.is_cut_short,
    )


def _syntax(text: str, path: str) -> ast.Module | None:
    """The tree of a text that does not name torch; None if only LibCST can read it.

    Text that is not Python is rejected, even if it can have no finding.

    The standard library's parser is eight times as fast as LibCST's. Text that it rejects is given to LibCST,
    which also parses grammars newer than the running Python.
    """
    try:
        return module_tree(text)
    except (SyntaxError, ValueError):
        from devlint.source.parse import parse  # noqa: PLC0415  # imports LibCST

        parse(text, path)
        return None


def _refuse_depth(text: str) -> None:
    """Reject text that is nested too deeply, such as a sum of ten thousand terms.

    LibCST's parser takes quadratic time for it, 3 s for 4,000 terms. Short texts with short lines cannot
    contain so many terms and are not tested; one of 200 real files is.
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
