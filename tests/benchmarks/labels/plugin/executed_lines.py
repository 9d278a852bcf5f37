"""A plugin of pytest: writes down which lines below a folder the tests execute, once all are collected.

What runs while modules are imported has no operands that a test has put anywhere, and is not counted. A test
is ended after some seconds, and so is the run; files run in a drawn order, so that these are of all parts.
"""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Generator
from pathlib import Path
from time import process_time

import pytest
from stand_in import lines

LONGEST = 15
"""Seconds of the processor after which a test is ended."""


def pytest_runtestloop(session: pytest.Session) -> None:
    """Count from now on, and write down which files hold tests."""
    tests = sorted({str(item.path.resolve()) for item in session.items})
    Path(os.environ["LABELS_TESTS"]).write_text(json.dumps(tests), "utf-8")
    signal.signal(signal.SIGPROF, _end)
    lines.count(os.environ["LABELS_ROOT"], os.environ["LABELS_LINES"])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Draw an order of files; the tests of one share fixtures and stay together."""
    order = random.Random(0)
    place = {path: order.random() for path in dict.fromkeys(item.path for item in items)}
    items.sort(key=lambda item: place[item.path])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """End a test that takes long, and begin none when the time is over."""
    if process_time() > float(os.environ["LABELS_SECONDS"]):
        item.session.shouldstop = "the time is over"
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _end(*_: object) -> None:
    pytest.fail("it takes too long")
