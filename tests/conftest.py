"""What holds for all tests: time decides none, however slow or busy the machine is."""

from __future__ import annotations

import gc
import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "untimed", settings(), deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("untimed"), max_examples=1000)
settings.load_profile("untimed")  # `--hypothesis-profile thorough` tries more, where a test names no number

# A run of pytest that a test starts is no worker of pytest-xdist, though the test itself runs in one.
os.environ.pop("PYTEST_XDIST_WORKER", None)


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over the modules and the tests, which are millions of objects."""
    gc.collect()
    gc.freeze()
