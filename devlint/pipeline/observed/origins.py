"""The origins of the operands in a run's findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from devlint.model import (
    Event,
    Finding,
    Move,
    Operand,
    Operation,
    OriginStep,
    Site,
    Step,
    Synchronization,
    Transfer,
)
from devlint.pipeline.observed.places import Placing
from devlint.report.profile import OperandOrigin, Stage
from devlint.rules import wording
from devlint.rules.registry import all_rules
from devlint.runtime.places.sites import NOWHERE_SITE, LocatedSites
from devlint.runtime.recording.findings import SiteLookup
from devlint.runtime.recording.recorder import Tally

MOST = 4
"""How many operands of a finding are described."""


class Origins:
    """The origins by place and code of a finding."""

    def __init__(self, seen: Iterable[tuple[Sequence[Tally], SiteLookup]], placing: Placing) -> None:
        """`seen` has the tallies of each process, and what resolves its places."""
        self._placing = placing
        self._found: defaultdict[tuple[Site, str], dict[OperandOrigin, None]] = defaultdict(dict)
        for tallies, locator in seen:
            self._add(tallies, locator)

    def of(self, finding: Finding) -> list[OperandOrigin]:
        """The origins of a finding's operands, even if the finding is reported at the line that led to an
        installed package."""
        for site in (finding.site, *(related.site for related in finding.related)):
            if (site, finding.code) in self._found:
                return list(self._found[site, finding.code])[:MOST]
        return []

    def _add(self, tallies: Sequence[Tally], locator: SiteLookup) -> None:
        said = [
            (draft.site, draft.code, operand)
            for tally in tallies
            for rule in all_rules()
            if rule.judges(tally.event)
            for draft in rule.check(tally.event)
            for operand in _operands(tally.event)
            if operand.origin.steps
        ]
        sites = {site for site, _, _ in said}
        sites.update(step.site for _, _, operand in said for step in operand.origin.steps)
        located = locator.locate(sites, ())
        for site, code, operand in said:
            key = (self._placing(located.site(site)), code)
            self._found[key][self._origin(operand, located)] = None

    def _origin(self, operand: Operand, located: LocatedSites) -> OperandOrigin:
        stages = tuple(self._stage(step, located) for step in operand.origin.steps)
        return OperandOrigin(wording.is_on(operand) if operand.path else f"on {operand.device}", stages)

    def _stage(self, step: OriginStep, located: LocatedSites) -> Stage:
        site = None if step.site == NOWHERE_SITE else self._placing(located.site(step.site))
        return Stage(_words(step), str(step.device), site)


def _operands(event: Event) -> Sequence[Operand]:
    if isinstance(event, Operation):
        return event.operands
    if isinstance(event, Synchronization | Transfer | Move) and event.operand is not None:
        return (event.operand,)
    return ()


def _words(step: OriginStep) -> str:
    match step.step:
        case Step.MADE:
            default = ", no device given" if step.implicit else ""
            return f"created on {step.device} by {wording.operator(step.operator)}{default}"
        case Step.MOVED:
            return f"moved to {step.device} by {wording.operator(step.operator)}"
        case Step.DERIVED:
            return f"computed on {step.device} from it"
        case Step.PARAMETER:
            return f"passed in as {wording.code(step.operator)}"
        case Step.ATTRIBUTE:
            return f"kept as {wording.code(step.operator)}"
