"""A pytest plugin that remembers which tests pass, and then runs some of these alone, up to a failure.

The first run of a suite is the measure: it is stopped after a while, and succeeds. Of the tests that passed
in it, those of the next runs took six seconds together; a hash of their names chooses.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

FIRST = 25.0
"""Seconds after which the first run is stopped."""
BUDGET = 6.0
"""Seconds that the tests of the next runs took in the first."""
KEPT = Path(os.environ["PROGRAM_TESTS"])
took: dict[str, float] = {}
failed: set[str] = set()


def pytest_configure(config: pytest.Config) -> None:
    """Stop at the first failure, where it is known what passes."""
    if KEPT.exists():
        config.option.maxfail = 1


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what did not pass."""
    if not KEPT.exists():
        return
    wanted = set(KEPT.read_text("utf-8").splitlines())
    left_out = [item for item in items if item.nodeid not in wanted]
    items[:] = [item for item in items if item.nodeid in wanted]
    config.hook.pytest_deselected(items=left_out)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what a test took, and whether it failed."""
    took[report.nodeid] = took.get(report.nodeid, 0.0) + report.duration
    if report.outcome != "passed":
        failed.add(report.nodeid)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> object:
    """Stop the first run in time."""
    yield
    if not KEPT.exists() and sum(took.values()) > FIRST:
        item.session.shouldstop = "there has been enough"


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Choose the tests of the next runs."""
    if KEPT.exists():
        return
    chosen, left = [], BUDGET
    for name in sorted(took.keys() - failed, key=lambda name: hashlib.sha256(name.encode()).hexdigest()):
        if took[name] <= min(left, BUDGET / 4):
            left -= took[name]
            chosen.append(name)
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    KEPT.write_text("".join(f"{name}\n" for name in chosen), "utf-8")
    session.exitstatus = pytest.ExitCode.OK
