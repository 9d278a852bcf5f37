"""What two runs of a suite come to."""

from __future__ import annotations

from tests.benchmarks.lifted.outcome import Run
from tests.benchmarks.simulated_suites.__main__ import SUITES, losses, row

PLAIN = Run(frozenset(("kept", "lost", "gone")), {"broken": "an error"}, frozenset())
SIMULATED = Run(
    frozenset(("kept", "kept[cuda]")),
    {"lost": "one error", "broken": "an error", "lost[cuda]": "another"},
    frozenset(),
)


def test_what_runs_with_a_device_only_is_counted_apart() -> None:
    assert row("library", PLAIN, SIMULATED, 2.0) == "| library | 3 | 1 | 2 | 1 | 2.0 |"


def test_what_is_lost_has_its_error() -> None:
    assert losses(PLAIN, SIMULATED) == ["lost\tone error", "lost[cuda]\tanother", "gone\tdid not run"]


def test_suites_say_what_is_run() -> None:
    for suite in SUITES.values():
        assert len(suite["commit"]) == 40
        assert suite["tests"]
