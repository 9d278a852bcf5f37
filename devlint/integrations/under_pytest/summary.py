"""The output of the plugin: the section of the terminal summary, and why a test failed."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

from devlint.integrations.under_pytest.ledger import Entry, Ledger
from devlint.model import Finding
from devlint.report import FOR_PROGRAMS, Report, renderer
from devlint.report.summary import summary

_NAMED = 3
"""How many tests are named for a finding; the others are counted."""


def section(ledger: Ledger, format_: str) -> Iterator[str]:
    """The lines of the summary."""
    entries = ledger.entries()
    for entry in entries:
        yield from shown_entry(ledger, entry, format_)
    yield from summary(ledger.report([entry.finding for entry in entries], closing=True))


def shown_entry(ledger: Ledger, entry: Entry, format_: str) -> Iterator[str]:
    """The lines of one finding; in formats for people, with the tests in which it was seen."""
    yield from _rendered(ledger.report([entry.finding], closing=False), format_)
    if format_ not in FOR_PROGRAMS:
        yield _in_tests(entry)
    if format_ == "full":
        yield ""


def failure(findings: Iterable[Finding], report: Report) -> str:
    """Why a test failed without an exception."""
    shown = report._replace(findings=list(findings), closing=False)
    return "\n".join(("devlint has findings that fail this test:", "", *_rendered(shown, "full")))


def _rendered(report: Report, format_: str) -> list[str]:
    out = io.StringIO()
    renderer(format_)(report, out)
    return out.getvalue().rstrip().splitlines()


def _in_tests(entry: Entry) -> str:
    named = ", ".join(entry.tests[:_NAMED])
    more = len(entry.tests) - _NAMED
    return f"   in {named}" + (f" and {more} more" if more > 0 else "")
