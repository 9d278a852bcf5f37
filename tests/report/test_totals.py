"""Tests of the totals of a run in words, and of the end of its report."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from devlint.model import Observed, Site
from devlint.report import Report, renderer
from devlint.report.amounts import duration, observed, size, times
from devlint.report.totals import OperatorTotal, RunTotals, Seen
from tests.report.reports import mismatch, rendered, report, waiting


@pytest.mark.parametrize(
    ("measured", "words"),
    [
        (Observed(1), "once"),
        (Observed(1200, 1.92, 4_800_000), "1,200 times, 4.8 MB, the host waited 1.9 s"),
        (Observed(2, None, 0), "2 times, 0 bytes"),
        (Observed(2, 0.0), "2 times, the host waited 0 s"),
    ],
)
def test_what_was_measured(measured: Observed, words: str) -> None:
    assert observed(measured) == words


def test_amounts() -> None:
    assert [times(1), times(2), times(12345)] == ["once", "2 times", "12,345 times"]
    assert [size(n) for n in (1, 999, 1000, 48_000, 123_456_789)] == [
        "1 byte",
        "999 bytes",
        "1.0 kB",
        "48 kB",
        "123 MB",
    ]
    shown = [duration(seconds) for seconds in (3723, 0.035, 0.00012, 1e-9)]
    assert shown == ["3,723 s", "35 ms", "120 us", "less than 1 us"]


def closing(totals: RunTotals, what: Report | None = None) -> list[str]:
    out = io.StringIO()
    renderer("concise")((what or report())._replace(run=totals), out)
    return out.getvalue().splitlines()


def test_a_run_closes_with_what_it_did_and_what_was_not_seen() -> None:
    totals = RunTotals(
        waits=Seen(1200, 1.9),
        uploads=Seen(1, None, 4_800_000),
        downloads=Seen(3, 0.25, 12),
        between=Seen(2, None, 64),
        remarks=["workers were not seen"],
    )
    assert closing(totals, report(waiting()))[1:] == [
        "Found 1 finding.",
        "In all: 1,200 waits (1.9 s), 1 copy to a device (4.8 MB), 3 copies to the host (12 bytes, 250 ms), "
        "2 copies between devices (64 bytes).",
        "note: workers were not seen",
    ]


def test_a_run_with_nothing_to_say() -> None:
    assert closing(RunTotals()) == ["Nothing was found."]
    assert closing(RunTotals(waits=Seen(1))) == ["Nothing was found.", "In all: 1 wait."]
    assert closing(RunTotals(waits=Seen(1)), report(closing=False)) == []


def test_waits_of_which_no_rule_speaks_come_with_their_places() -> None:
    places = [
        OperatorTotal(Site("train.py", line, 5, line, 9), "torch.Tensor.item", Seen(20 - line))
        for line in range(1, 12)
    ]
    totals = RunTotals(waits=Seen(154), unspoken=places)
    lines = closing(totals)
    assert lines[1:4] == [
        "In all: 154 waits.",
        "Waits that no rule reports:",
        "  train.py:1:5 `torch.Tensor.item`, 19 times",
    ]
    assert lines[-1] == "  and 30 more at 3 places"
    timed = RunTotals(unspoken=[OperatorTotal(Site("a.py", 1, 1, 1, 1), "torch.Tensor.item", Seen(1, 0.5))])
    assert closing(timed)[-1] == "  a.py:1:1 `torch.Tensor.item`, once, the host waited 500 ms"


def test_what_is_usual_is_one_line_of_advice() -> None:
    usual = replace(waiting(), observed=Observed(3, usual=True), help="pin it")
    again = replace(usual, observed=Observed(1, usual=True))
    advice = (
        "advice: printing waits for the device (DL203, train.py:15:1, 3 times, and at 1 more place): pin it"
    )
    assert closing(RunTotals(), report(usual, again)) == [
        "Nothing was found but what nearly every program does.",
        advice,
    ]
    both = closing(RunTotals(), report(usual, again, mismatch()))
    assert both[0].startswith("train.py:11:")
    assert both[1:] == ["Found 1 finding.", advice]
    assert rendered("json", report(usual, again)).count('"code": "DL203"') == 2


def test_fixes_are_not_offered_for_a_run() -> None:
    assert not any("--fix" in line for line in closing(RunTotals(), report(waiting())))
