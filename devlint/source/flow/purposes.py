"""What a file is for, by its name and the folders that it stands in.

A name proves nothing; here it is enough for silence.
"""

from __future__ import annotations

import re

_TEST_FILE = re.compile(r"(?:^|/)(?:tests?/(?:[^/]+/)?(?:test_[^/]*/)*[^/]*|test_[^/]*)$|_test\.py$")


def is_test_file(path: str) -> bool:
    """Whether a file holds tests or what they need: by its name, or by a folder `tests` not far above it."""
    return _TEST_FILE.search(path) is not None


_FOR_HOST = re.compile(r"(?:^|/)cpu(?:/|_[^/]*$|\.py$)|_cpu\.py$")


def is_for_host(path: str) -> bool:
    """Whether a file is about the CPU alone, by its name or that of a folder."""
    return _FOR_HOST.search(path) is not None
