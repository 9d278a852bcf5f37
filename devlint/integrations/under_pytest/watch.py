"""Observing each test: levels by marker, findings by test, failures, and the summary."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from devlint.instrumentation.tracebacks import clean
from devlint.integrations.under_pytest.ledger import Ledger
from devlint.integrations.under_pytest.options import HERE
from devlint.integrations.under_pytest.settings import OfTest, PytestSettings, of_test
from devlint.integrations.under_pytest.summary import failure, section
from devlint.model import Finding
from devlint.pipeline.observed.findings import Shown, observed
from devlint.report import Report
from devlint.runtime.api.guard import Guard
from devlint.runtime.policy.levels import levels
from devlint.runtime.recording.recorder import Tally
from devlint.runtime.session.session import Session


class Watched:
    """A running test."""

    def __init__(self, test: OfTest) -> None:
        self.fail_on = test.fail_on
        self.guard = Guard(levels(**test.levels))
        self.judged: set[Finding] = set()
        """The findings for which its phases so far failed, or would have failed."""


COLLECTION = "collection"
"""Stands for a test while modules are imported."""
_WATCHED = pytest.StashKey[Watched]()


class PytestHooks:
    """The hooks in a process that runs tests."""

    def __init__(self, settings: PytestSettings, session: Session, ledger: Ledger) -> None:
        self._settings = settings
        self._session = session
        self._ledger = ledger

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Observe the import of modules."""
        with Guard(levels(**self._settings.levels)) as watching:
            result = yield
        self._enter(COLLECTION, watching)
        return result

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Reject invalid markers before anything is run."""
        for item in items:
            of_test(item, self._settings)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Observe a test with its fixtures."""
        watched = item.stash[_WATCHED] = Watched(of_test(item, self._settings))
        with watched.guard:
            result = yield
        self._enter(item.nodeid, watched.guard)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Fail a passing test because of its findings; hide devlint in tracebacks."""
        if call.excinfo is not None:
            clean(call.excinfo.value)
            call.excinfo = pytest.ExceptionInfo.from_exception(call.excinfo.value)
        watched = item.stash[_WATCHED]
        self._before_report(item, watched.guard)
        report = yield
        if watched.fail_on and report.when != "setup":
            self._judge(watched, report)
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Record what was not observed; in a worker, send the findings."""
        self._ledger.remark(self._session.remarks, self._session.doubt)
        output: dict[str, object] | None = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[HERE] = self._ledger.packed()

    def _before_report(self, item: pytest.Item, watching: Guard) -> None:
        """Called before pytest creates the report of a test's phase."""

    def _enter(self, test: str, watching: Guard) -> None:
        """Add the findings of a test that has ended."""
        self._ledger.add(test, self._report(watching))

    def _judge(self, watched: Watched, report: pytest.TestReport) -> None:
        """Fail a passing phase because of findings for which no earlier phase failed."""
        seen = self._report(watched.guard)
        found = {
            replace(finding, observed=None): finding
            for finding in seen.findings
            if finding.code in watched.fail_on
        }
        new = [finding for key, finding in found.items() if key not in watched.judged]
        watched.judged.update(found)
        if new and report.passed and not hasattr(report, "wasxfail"):
            report.outcome = "failed"
            report.longrepr = failure(new, seen)

    def _report(self, watching: Guard) -> Report:
        return self._observed(watching.tallies())

    def _observed(self, tallies: Sequence[Tally]) -> Report:
        shows = Shown(third_party=True, usual=True)
        return observed(tallies, self._session.sites, self._settings.configurations, shows=shows)


class Summary:
    """The hooks in the process that prints the summary."""

    def __init__(self, settings: PytestSettings, ledger: Ledger) -> None:
        self._settings = settings
        self._ledger = ledger
        self._lost: list[str] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the findings of a pytest-xdist worker that has ended."""
        packed = getattr(node, "workeroutput", {}).get(HERE)
        if packed is None:
            self._lost.append(node.gateway.id)
        else:
            self._ledger.merge(Ledger.unpacked(packed))

    def _lines(self) -> Iterator[str]:
        return section(self._ledger, self._settings.format)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the findings."""
        terminalreporter.section(HERE)
        for line in self._lines():
            terminalreporter.write_line(line)
        for worker in self._lost:
            terminalreporter.write_line(f"note: worker {worker} ended without reporting its findings")
