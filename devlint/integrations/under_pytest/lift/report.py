"""The report of lifted tests, for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from devlint.integrations.under_pytest.ledger import Ledger
from devlint.integrations.under_pytest.lift.ledger import Cost, LiftLedger, Line
from devlint.integrations.under_pytest.lift_settings import LiftSettings
from devlint.integrations.under_pytest.settings import PytestSettings
from devlint.integrations.under_pytest.summary import shown_entry
from devlint.integrations.under_pytest.watch import Summary
from devlint.report import FOR_PROGRAMS
from devlint.report.amounts import count, size
from devlint.report.record import record

_COSTS = 20
"""How many lines that wait or copy are listed; the others are counted."""


class LiftedSummary(Summary):
    """The hooks in the process that prints the summary of lifted tests."""

    def __init__(self, settings: PytestSettings, ledger: LiftLedger, how: LiftSettings) -> None:
        super().__init__(settings, ledger)
        self._lifted = ledger
        self._how = how

    def _lines(self) -> Iterator[str]:
        return section(self._lifted, self._settings.format)

    def pytest_unconfigure(self) -> None:
        """Write the JSON report, after all workers have sent their findings."""
        if self._how.json is not None:
            self._how.json.parent.mkdir(parents=True, exist_ok=True)
            self._how.json.write_text(json.dumps(as_data(self._lifted), indent=2) + "\n", "utf-8")


def section(ledger: LiftLedger, format_: str) -> Iterator[str]:
    """The lines of the summary: the library's mistakes, the costs of its lines, and tests that could not be
    lifted."""
    entries = ledger.entries()
    for entry in entries:
        yield from shown_entry(ledger, entry, format_)
    if format_ in FOR_PROGRAMS:
        return
    costs = ledger.costs()
    if costs:
        yield "In the library's own lines:"
        for line, cost in costs[:_COSTS]:
            yield f"   {_cost(line, cost)}"
        if len(costs) > _COSTS:
            yield f"   and {count(len(costs) - _COSTS, 'more line', 'more lines')}"
    reasons = list(ledger.reasons())
    if reasons:
        yield "Not lifted:"
        for test, whys in reasons:
            for why in whys:
                yield f"   {test}: {why}"
    tests = count(ledger.tests, "lifted test", "lifted tests")
    yield f"{count(len(entries), 'mistake', 'mistakes')} of the library, in {tests}."
    if reasons:
        yield f"{count(len(reasons), 'test', 'tests')} not lifted."
    if not ledger.calls:
        yield "note: no test called the library: pass its name with --devlint-lift-package"


def as_data(ledger: LiftLedger) -> dict[str, Any]:
    """The whole report as data: findings with Ruff's field names, and their tests."""
    return {
        "mistakes": _records(ledger),
        "slow": _records(ledger.slow),
        "costs": [
            {
                "filename": str(Path(path).absolute()),
                "line": number,
                "end_line": cost.last_line,
                "kind": kind,
                "operator": operator,
                "count": cost.times,
                "bytes": cost.bytes,
                "forward": cost.forward,
                "tests": cost.tests,
            }
            for (path, number, kind, operator), cost in ledger.costs()
        ],
        "excused": [
            {"filename": str(Path(path).absolute()), "line": number, "count": times}
            for (path, number), times in ledger.excused()
        ],
        "not_lifted": [{"test": test, "reasons": reasons} for test, reasons in ledger.reasons()],
        "tests": ledger.tests,
        "calls": ledger.calls,
    }


def _records(ledger: Ledger) -> list[dict[str, Any]]:
    entries = ledger.entries()
    report = ledger.report([entry.finding for entry in entries], closing=False)
    return [{**record(entry.finding, report), "tests": entry.tests} for entry in entries]


def _cost(line: Line, cost: Cost) -> str:
    path, number, kind, operator = line
    copied = f", {size(cost.bytes)}" if cost.bytes else ""
    times = count(cost.times, _KINDS[kind][0], _KINDS[kind][1])
    return f"{path}:{number}: {times}{copied} by {operator}, in {count(len(cost.tests), 'test', 'tests')}"


_KINDS: Mapping[str, tuple[str, str]] = {
    "wait": ("wait", "waits"),
    "upload": ("copy to the device", "copies to the device"),
    "download": ("copy to the host", "copies to the host"),
}
