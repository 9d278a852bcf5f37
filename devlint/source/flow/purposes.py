"""What a file is for, by its name and the folders that it stands in.

A name proves nothing; here it is enough for silence.
"""

from __future__ import annotations

import re

from devlint.model import Event, Move, Synchronization, Transfer

_TEST_FILE = re.compile(
    r"(?:^|/)(?:(?:tests?|test_utils)/(?:[^/]+/)?(?:test_[^/]*/)*[^/]*|test_[^/]*)$|_test\.py$"
)


def is_test_file(path: str) -> bool:
    """Whether a file holds tests or what they need: by its name, or by a folder `tests` not far above it."""
    return _TEST_FILE.search(path) is not None


def is_about_speed(event: Event) -> bool:
    """Whether all that could be wrong is the time that it takes, which nobody minds in a test."""
    return isinstance(event, Synchronization | Transfer) or (isinstance(event, Move) and event.kept)


_FOR_HOST = re.compile(r"(?:^|/)cpu(?:/|_[^/]*$|\.py$)|_cpu\.py$|(?:^|/)openvino(?:/|_[^/]*$|\.py$)")


def is_for_host(path: str) -> bool:
    """Whether torch's part in a file is for the CPU alone, by the file's name or that of a folder. What runs
    in OpenVINO is on no device of torch's."""
    return _FOR_HOST.search(path) is not None
