"""Analyzing a text, unless a comment skips it. Text that cannot be parsed is a finding."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from devlint.pipeline.analysis import analyze
from devlint.pipeline.analysis.analysis import Analysis, Claim, Rules
from devlint.project.marks import names_devlint
from devlint.project.own_findings import unreadable
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    import ast

    from devlint.model import Finding
    from devlint.pipeline.analysis.analyze import Observer
    from devlint.source.module_graph import ModuleFile

TOO_DEEP = "it is nested too deeply to be analyzed"


def examine(
    text: str,
    path: str,
    on: Rules,
    place: Callable[[], ModuleFile] | None = None,
    *,
    leads: Callable[[bytes, ast.Module], bool] | None = None,
    silenced: bool = False,
    observer: Observer | None = None,
) -> Analysis:
    """The results of executing a text as a program, or the finding that it cannot be parsed.

    For the arguments, see `analyze`.
    """
    speaks = names_devlint(text)
    if speaks:
        from devlint.project.suppression import skips_file  # noqa: PLC0415  # most texts suppress nothing

        if skips_file(text):
            return Analysis()
    try:
        found = analyze.analyze(text, path, on, place, leads=leads, silenced=silenced, observer=observer)
    except UnreadableSource as error:
        return Analysis([Claim(unreadable(path, error.reason, error.line, error.column))])
    except RecursionError:
        return Analysis([Claim(unreadable(path, TOO_DEEP))])
    return found._replace(speaks=speaks)


def find_all(
    text: str, path: str, on: Collection[str], place: Callable[[], ModuleFile] | None = None
) -> list[Finding]:
    """The findings of the rules that are on in a single text, in order."""
    from devlint.pipeline.analysis.merge import merged  # noqa: PLC0415
    from devlint.pipeline.analysis.suppress import unsuppressed  # noqa: PLC0415

    shown = examine(text, path, Rules(frozenset(on)), place)
    return unsuppressed(merged(claim for claim in shown.claims if not claim.home), text, path, on)
