"""From the results of each program to the findings of each file.

A finding is reported in its file, by that file's rules and comments, whichever program shows it. If the file
is not checked itself, the finding is reported at the call that leads there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devlint.pipeline.analysis.analysis import Claim
    from devlint.pipeline.session.session import CheckSession
    from devlint.pipeline.session.task import FileOutcome


def settle(outcomes: Sequence[FileOutcome], session: CheckSession) -> None:
    """Set the findings of each file, of any confidence, with places in the whole text."""
    checked = {str(each.file.path): each for each in outcomes if each.file is not None}
    reached = frozenset().union(*(each.analysis.reached for each in outcomes))
    on_host: frozenset[tuple[str, str]] = frozenset()
    if any(each.analysis.given for each in outcomes):
        from devlint.pipeline.session.given import called_on_host, doubted  # noqa: PLC0415  # few files have it

        on_host = called_on_host(outcomes, reached)
    known = reached | on_host
    claims: defaultdict[str, list[Claim]] = defaultdict(list)
    refuted: defaultdict[str, list[Claim]] = defaultdict(list)
    in_other_files: list[tuple[FileOutcome, Claim]] = []
    for outcome in outcomes:
        own = "" if outcome.file is None else str(outcome.file.path)
        for claim in outcome.analysis.claims:
            holds = not claim.hypotheses or any((own, name) not in reached for name in claim.hypotheses)
            home = checked.get(claim.home or own, outcome if not claim.home else None)
            if holds and claim.of_arguments and all((own, name) in known for name in claim.hypotheses):
                claim = doubted(claim)  # noqa: PLW2901
            if home is not None:
                (claims if holds else refuted)[home.path].append(claim)
            elif holds:
                in_other_files.append((outcome, claim))
    if in_other_files:
        from devlint.pipeline.session.callers import at_the_calls  # noqa: PLC0415  # often all files are checked

        for outcome, moved in at_the_calls(in_other_files, session):
            claims[outcome.path].append(moved)
    for outcome in outcomes:
        _conclude(outcome, claims.get(outcome.path, []), session)
    names = {path: each.path for path, each in checked.items()}
    for outcome in outcomes:
        if outcome.findings:
            from devlint.pipeline.session.named import named  # noqa: PLC0415  # most files have no findings

            outcome.findings = [named(finding, names, session) for finding in outcome.findings]
    if session.task.silenced:
        from devlint.pipeline.session.withheld import withhold  # noqa: PLC0415  # few runs ask for it

        withhold(outcomes, refuted, names, session)


def _conclude(outcome: FileOutcome, claims: list[Claim], session: CheckSession) -> None:
    """Merge the claims about a file, and remove those that its comments suppress."""
    outcome.findings = []
    outcome.source = None
    if not (claims or outcome.analysis.speaks):
        return
    # Files without findings do not need these imports.
    from devlint.pipeline.analysis.merge import merged  # noqa: PLC0415
    from devlint.pipeline.analysis.suppress import unsuppressed  # noqa: PLC0415
    from devlint.pipeline.session.documents import document_for  # noqa: PLC0415

    outcome.findings = found = merged(claims)
    if outcome.file is None:
        return
    document = document_for(outcome, session)
    if document is None:
        return
    on = session.rules(outcome.file).own
    outcome.findings = unsuppressed(found, document.text, outcome.path, on, noqa=session.task.noqa)
    outcome.source = document.source()
