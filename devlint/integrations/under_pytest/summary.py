"""What the plugin prints: the section of the terminal summary, and why a test failed."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

from devlint.integrations.under_pytest.ledger import Entry, Ledger
from devlint.model import Finding
from devlint.report import Report, renderer
from devlint.report.summary import summary

_NAMED = 3
"""So many tests are named for a finding; of the others, how many there are."""


def section(ledger: Ledger, format_: str) -> Iterator[str]:
    """The lines of the summary."""
    entries = ledger.entries()
    for entry in entries:
        yield from _rendered(ledger.report([entry.finding], closing=False), format_)
        yield _in_tests(entry)
        if format_ == "full":
            yield ""
    yield from summary(ledger.report([entry.finding for entry in entries], closing=True))


def failure(findings: Iterable[Finding], report: Report) -> str:
    """Why a test failed in which nothing was raised."""
    shown = report._replace(findings=list(findings), closing=False)
    return "\n".join(("devlint found what this test must not do:", "", *_rendered(shown, "full")))


def _rendered(report: Report, format_: str) -> list[str]:
    out = io.StringIO()
    renderer(format_)(report, out)
    return out.getvalue().rstrip().splitlines()


def _in_tests(entry: Entry) -> str:
    named = ", ".join(entry.tests[:_NAMED])
    more = len(entry.tests) - _NAMED
    return f"   in {named}" + (f" and {more} more" if more > 0 else "")
