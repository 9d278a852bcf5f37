"""Labels of executed lines: taken from a lifted suite, and held against findings of the check."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.benchmarks.agreement.truth import Found, Place, Seen, Truth
from tests.benchmarks.labels import __main__ as command
from tests.benchmarks.labels.score import HAPPENED, NOTHING, OTHER_PATH, SET_ASIDE, join

LIBRARY = """
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        if x.sum() > 0:
            return x * self.scale
        return x + torch.ones(3)


class Shift(nn.Module):
    def forward(self, x):
        return x + torch.ones(3)


class Apart(nn.Module):
    def forward(self, x):
        y = torch.zeros(3)
        if x.dim() == 1:
            y = y.to(x.device)
        return x + y
"""
TESTS = """
import torch
from lib import Apart, Gate, Shift


def test_gate():
    Gate()(torch.ones(3))


def test_shift():
    Shift()(torch.ones(3))


def test_apart():
    Apart()(torch.ones(3))
"""


def place(first: int, last: int = 0) -> Place:
    return Place("lib/a.py", first, last or first)


def truth(*seen: Seen, found: tuple[Found, ...] = (), lines: range = range(1, 10)) -> Truth:
    return Truth("", 1, 0, 0, found, seen, {"lib/a.py": dict.fromkeys(lines, 1)})


def said(code: str, first: int, *related: int, confidence: str = "likely") -> Found:
    return Found(code, place(first), "", tuple(map(place, related)), confidence=confidence)


def times(kind: str, line: int, count: int, *, forward: bool = False) -> Seen:
    return Seen(kind, place(line), count, 0, None, forward)


@pytest.mark.parametrize(
    ("claim", "shown", "outcome"),
    [
        (said("DL102", 5), truth(), NOTHING),
        (said("DL102", 5), truth(found=(Found("DL101", place(6), "", (place(5),)),)), HAPPENED),
        (said("DL101", 5, 4), truth(times("Excused", 4, 1)), SET_ASIDE),
        (said("DL101", 5, 12), truth(), OTHER_PATH),
        (said("DL202", 5), truth(times("Synchronization", 5, 1)), HAPPENED),
        (said("DL202", 5), truth(times("Synchronization", 6, 1)), NOTHING),
        (said("DL301", 5, 4), truth(times("Transfer", 4, 1)), HAPPENED),
        (said("DL302", 5), truth(times("Transfer", 5, 1)), NOTHING),
        (said("DL302", 5), truth(times("Transfer", 5, 2)), HAPPENED),
        (said("DL308", 5), truth(times("Transfer", 5, 1)), NOTHING),
    ],
)
def test_what_became_of_a_finding(claim: Found, shown: Truth, outcome: str) -> None:
    assert [each.outcome for each in join(shown, [claim]).claims] == [outcome]


def test_what_was_not_executed_is_not_judged() -> None:
    joined = join(truth(), [said("DL102", 30), said("DL112", 5), said("DL402", 5)])
    assert joined.claims == ()
    assert joined.unreached == 1


def test_what_is_expected_of_the_check() -> None:
    """Mistakes anywhere; waits and copies in a forward: a test that repeats a call is no loop of training."""
    found = tuple(Found(code, place(at), "") for at, code in ((1, "DL102"), (2, "DL202"), (3, "DL202")))
    shown = truth(times("Synchronization", 2, 9, forward=True), times("Synchronization", 3, 9), found=found)
    joined = join(shown, [said("DL101", 1, confidence="possible"), said("DL101", 1)])
    assert [(each.found.place.first, each.claim and each.claim.confidence) for each in joined.labels] == [
        (1, "likely"),
        (2, None),
    ]
    assert dict(joined.left_out) == {"hot in the test alone: not in the forward of a module": 1}


def test_a_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clone = tmp_path / "small"
    for path, text in (("lib/__init__.py", LIBRARY), ("tests/test_lib.py", TESTS)):
        (clone / path).parent.mkdir(parents=True)
        (clone / path).write_text(dedent(text).lstrip(), "utf-8")
    monkeypatch.setitem(command.SUITES, "small", {"package": "lib", "tests": ["tests"]})
    assert command.main([str(tmp_path), "small", "--missed", "--unconfirmed"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert "1 suites, 9 executed lines" in shown
    assert "    DL102              1 of     1  1.00, 0 more as possible" in shown
    assert "    DL202              1 of     1  1.00, 0 more as possible" in shown
    assert "  not executed: 1" in shown
    assert not [line for line in shown if line.startswith("small: lib/__init__.py:18:")]
