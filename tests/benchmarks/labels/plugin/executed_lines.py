"""A plugin of pytest: writes down which lines below a folder the tests execute, once all are collected.

What runs while modules are imported has no operands that a test has put anywhere, and is not counted. Tests
stop after some seconds of the processor; files run in an order that is drawn, so that these are of all parts.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from time import process_time

import pytest
from stand_in import lines


def pytest_runtestloop(session: pytest.Session) -> None:
    """Count from now on, and write down which files hold tests."""
    tests = sorted({str(item.path.resolve()) for item in session.items})
    Path(os.environ["LABELS_TESTS"]).write_text(json.dumps(tests), "utf-8")
    lines.count(os.environ["LABELS_ROOT"], os.environ["LABELS_LINES"])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Draw an order of files; the tests of one share fixtures and stay together."""
    order = random.Random(0)
    place = {path: order.random() for path in dict.fromkeys(item.path for item in items)}
    items.sort(key=lambda item: place[item.path])


def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Begin no further test when the time is over."""
    if process_time() > float(os.environ["LABELS_SECONDS"]):
        item.session.shouldstop = "the time is over"
