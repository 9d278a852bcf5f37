"""What was withheld in each file, and why: by the observers of programs, and because of real callers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from devlint.model import Finding, Silence, Withheld
from devlint.pipeline.analysis.merge import merged
from devlint.pipeline.session.named import named

if TYPE_CHECKING:
    from devlint.pipeline.analysis.analysis import Claim
    from devlint.pipeline.session.session import CheckSession
    from devlint.pipeline.session.task import FileOutcome


def withhold(
    outcomes: Sequence[FileOutcome],
    refuted: Mapping[str, list[Claim]],
    names: Mapping[str, str],
    session: CheckSession,
) -> None:
    """Set for each file what was withheld and is not reported otherwise. `refuted` has the claims, by file,
    that depend on hypotheses about functions with real callers in other programs."""
    held: defaultdict[str, dict[tuple[str, int, int, Silence], Withheld]] = defaultdict(dict)

    def hold(path: str, finding: Finding, silence: Silence) -> None:
        site = finding.site
        finding = named(finding, names, session)
        held[path].setdefault((finding.code, site.start, site.end, silence), Withheld(finding, silence))

    for outcome in outcomes:
        for home, each in outcome.analysis.withheld:
            path = names.get(home, "") if home else outcome.path
            if path:
                hold(path, each.finding, each.silence)
    for path, claims in refuted.items():
        for finding in merged(claims):
            hold(path, finding, Silence.HOST_BY_CONTRACT)
    for outcome in outcomes:
        said = {(each.code, each.site.start, each.site.end) for each in outcome.findings}
        outcome.withheld = [each for key, each in held[outcome.path].items() if key[:3] not in said]
