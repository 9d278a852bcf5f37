"""One text's way: analyze, suppress. Text that cannot be parsed is a finding like others."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from devlint.pipeline import analyze
from devlint.project.marks import may_suppress, names_devlint
from devlint.project.own_findings import UNUSED_SUPPRESSION, unreadable
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    from devlint.model import Finding
    from devlint.source.library import Place

TOO_DEEP = "it is nested too deeply to be analyzed"


def find_all(
    text: str, path: str, on: Collection[str], place: Callable[[], Place] | None = None
) -> list[Finding]:
    """What the rules that are on find in a text, in order.

    Text that cannot be parsed is a finding. `path` is what sites will name. From its `place` in a library,
    the other files of the project are followed where it uses them.
    """
    if names_devlint(text):
        from devlint.project.suppression import skips_file  # noqa: PLC0415  # most texts suppress nothing

        if skips_file(text):
            return []
    try:
        found = analyze.analyze(text, path, on, place)
    except UnreadableSource as error:
        return [unreadable(path, error.reason, error.line, error.column)]
    except RecursionError:
        return [unreadable(path, TOO_DEEP)]
    if not may_suppress(text, has_findings=bool(found)):
        return found
    from devlint.project.suppression import find  # noqa: PLC0415

    suppressions = find(text, has_findings=bool(found))
    if suppressions is None:
        return found
    kept = suppressions.filter(found)
    if UNUSED_SUPPRESSION in on:
        kept += suppressions.unused(path, on)
    return sorted(kept, key=lambda finding: finding.sort_key)
