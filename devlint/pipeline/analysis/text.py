"""One text's way: analyze it, unless it asks not to be. That it cannot be parsed is a finding like others."""

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
    from devlint.source.library import LibraryFile

TOO_DEEP = "it is nested too deeply to be analyzed"


def examine(
    text: str,
    path: str,
    on: Rules,
    place: Callable[[], LibraryFile] | None = None,
    *,
    leads: Callable[[bytes, ast.Module], bool] | None = None,
    silenced: bool = False,
    observer: Observer | None = None,
) -> Analysis:
    """What running a text as a program shows. That it cannot be parsed is shown too.

    `path` is what sites in it will name. From its `place` in a library, the other files of the project are
    followed where it uses them. For `leads` and `observer`, see `analyze`.
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
    text: str, path: str, on: Collection[str], place: Callable[[], LibraryFile] | None = None
) -> list[Finding]:
    """What the rules that are on find in a text, checked alone, in order."""
    from devlint.pipeline.analysis.merge import merged  # noqa: PLC0415
    from devlint.pipeline.analysis.suppress import unsuppressed  # noqa: PLC0415

    shown = examine(text, path, Rules(frozenset(on)), place)
    return unsuppressed(merged(claim for claim in shown.claims if not claim.home), text, path, on)
