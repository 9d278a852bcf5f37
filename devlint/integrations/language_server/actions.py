"""The code actions for findings: fixes, suppressions, and all safe fixes at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types

from devlint.integrations.language_server.positions import Positions
from devlint.model import Applicability, Finding
from devlint.pipeline.changes.fix import with_fixes
from devlint.pipeline.changes.ignore import with_ignores
from devlint.pipeline.texts.editing import Checked

FIX_ALL = "source.fixAll.devlint"
KINDS = [types.CodeActionKind.QuickFix, FIX_ALL]


def actions(
    checked: Checked, span: tuple[int, int], uri: str, positions: Positions, wanted: Iterable[str] | None
) -> list[types.CodeAction]:
    """The requested kinds of code actions for the findings in a span of the text."""
    kinds = None if wanted is None else tuple(wanted)
    found: list[types.CodeAction] = []
    if _is_wanted(types.CodeActionKind.QuickFix, kinds):
        here = [each for each in checked.findings if _meets(each, span)]
        for finding in here:
            found += _fix(finding, uri, positions)
        for finding in here:
            found += _ignore(checked, finding, uri, positions)
    if _is_wanted(FIX_ALL, kinds):
        fixed, chosen = with_fixes(checked.document, checked.findings, unsafe=False)
        if chosen:
            edits = positions.becoming(fixed.text)
            found.append(_action("Apply all safe fixes of devlint", FIX_ALL, uri, edits))
    return found


def _fix(finding: Finding, uri: str, positions: Positions) -> Iterator[types.CodeAction]:
    fix = finding.fix
    if fix is None or fix.applicability is Applicability.DISPLAY:
        return
    safe = fix.applicability is Applicability.SAFE
    title = f"{finding.code}: {fix.message}{'' if safe else ' (may change what the program does)'}"
    made = _action(title, types.CodeActionKind.QuickFix, uri, positions.edits(fix.edits))
    made.is_preferred = safe
    yield made


def _ignore(checked: Checked, finding: Finding, uri: str, positions: Positions) -> Iterator[types.CodeAction]:
    ignoring, chosen = with_ignores(checked.document, [finding])
    if chosen:
        title = f"Ignore {finding.code} on this line"
        yield _action(title, types.CodeActionKind.QuickFix, uri, positions.becoming(ignoring.text))


def _action(title: str, kind: str, uri: str, edits: list[types.TextEdit]) -> types.CodeAction:
    return types.CodeAction(title, kind=kind, edit=types.WorkspaceEdit(changes={uri: edits}))


def _meets(finding: Finding, span: tuple[int, int]) -> bool:
    return finding.site.start <= span[1] and span[0] <= finding.site.end


def _is_wanted(kind: str, wanted: tuple[str, ...] | None) -> bool:
    """Whether a kind is requested: by its name, or by that of a kind that contains it."""
    return wanted is None or any(kind == each or kind.startswith(f"{each}.") for each in wanted)
