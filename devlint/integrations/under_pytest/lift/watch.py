"""Observing lifted tests: which findings are the library's, and what could not be lifted."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from devlint.integrations.under_pytest.lift.ledger import Cost, LiftLedger, Line
from devlint.integrations.under_pytest.lift_settings import LiftSettings
from devlint.integrations.under_pytest.options import HERE
from devlint.integrations.under_pytest.settings import PytestSettings
from devlint.integrations.under_pytest.watch import COLLECTION, PytestHooks
from devlint.model import Event, Finding, Operation, Registration, Synchronization, Transfer
from devlint.report import Report
from devlint.report.message import message as worded
from devlint.rules.transfer import is_upload
from devlint.runtime.api.guard import Guard
from devlint.runtime.lift import Lift, Owner
from devlint.runtime.recording.recorder import Tally
from devlint.runtime.session.session import Session

_MISMATCH = "DL1"
"""The family of rules about mistakes; costs are counted by line."""
_SLOW = ("DL2", "DL3")


class LiftedWatch(PytestHooks):
    """The hooks in a process that runs lifted tests."""

    def __init__(
        self, settings: PytestSettings, session: Session, ledger: LiftLedger, lift: Lift, how: LiftSettings
    ) -> None:
        super().__init__(settings, session, ledger)
        self._lifted = ledger
        self._lift = lift
        self._how = how
        self._turns: dict[Path | str, int] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Select the device of the test, or of its file."""
        if self._how.turns:
            takes_turn = item.path if self._how.turns == "file" else item.nodeid
            number = self._turns.setdefault(takes_turn, len(self._turns))
            self._lift.go_to(number % self._how.devices)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
        """Record a failure that the library does not cause."""
        if report.failed and not any(name == HERE for name, _ in report.user_properties):
            self._lifted.add_reasons(report.nodeid, [f"fails in its {report.when}: {_last_line(report)}"])
        return (yield)

    def _before_report(self, item: pytest.Item, watching: Guard) -> None:
        """Add the findings to the test's report, such as for JUnit's properties."""
        known = {value for name, value in item.user_properties if name == HERE}
        for finding in self._report(watching).findings:
            said = f"{finding.site.path}:{finding.site.line}: {finding.code} {worded(finding)}"
            if said not in known:
                item.user_properties.append((HERE, said))

    def _enter(self, test: str, watching: Guard) -> None:
        seen = self._observed(self._of_library(watching))
        self._ledger.add(test, self._mistakes(seen))
        self._lifted.slow.add(test, self._slow(seen))
        self._lifted.add_reasons(test, self._lift.faults.take_reasons())
        self._lifted.add_excused(self._lift.faults.take_excused())
        self._lifted.tests += test != COLLECTION
        self._lifted.calls += self._lift.take_calls()
        self._lift.forget()
        for tally in self._of_library(watching):
            kind = _kind(tally.event)
            if kind:
                place = self._session.sites.site(tally.event.site)
                line: Line = (place.path, place.line, kind, getattr(tally.event, "operator", ""))
                cost = Cost(tally.count, tally.bytes or 0, place.end_line, tally.forward, [test])
                self._lifted.add_cost(line, cost)

    def _report(self, watching: Guard) -> Report:
        """The mistakes of the library, without those of tests and third parties."""
        return self._mistakes(
            self._observed([tally for tally in self._of_library(watching) if not _kind(tally.event)])
        )

    def _mistakes(self, seen: Report) -> Report:
        return seen._replace(findings=[finding for finding in seen.findings if self._is_of_library(finding)])

    def _slow(self, seen: Report) -> Report:
        """The findings about waits and copies on hot paths. The totals are added with the mistakes."""
        findings = [finding for finding in seen.findings if finding.code.startswith(_SLOW)]
        return seen._replace(findings=findings, run=None)

    def _of_library(self, watching: Guard) -> list[Tally]:
        """The tallies of the library's lines, and of third parties that it calls."""
        return [
            tally for tally in watching.tallies() if self._owner(tally.event) in _JUDGED[_is_clash(tally)]
        ]

    def _owner(self, event: Event) -> Owner:
        return self._lift.owners.of_file(self._session.sites.filename(event.site))

    def _is_of_library(self, finding: Finding) -> bool:
        directory = self._settings.configurations.working_directory
        sites = (finding.site, *(each.site for each in finding.related))
        owners = [self._lift.owners.of_file(str(directory / site.path)) for site in sites]
        return finding.code.startswith(_MISMATCH) and owners[0] is not Owner.TEST and Owner.LIBRARY in owners


_JUDGED = {True: (Owner.LIBRARY, Owner.THIRD_PARTY), False: (Owner.LIBRARY,)}


def _is_clash(tally: Tally) -> bool:
    return isinstance(tally.event, Operation | Registration)


def _kind(event: Event) -> str:
    if isinstance(event, Synchronization):
        return "wait"
    if isinstance(event, Transfer):
        return "upload" if is_upload(event) else "download"
    return ""


def _last_line(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr)
    return (text.strip().splitlines() or [""])[0]
