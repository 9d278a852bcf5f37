"""The recursion depth that Python allows."""

from __future__ import annotations

import sys

import pytest

needs_deep_recursion = pytest.mark.skipif(
    sys.version_info[:2] == (3, 12),
    reason="CPython 3.12 has a limit of its own for calls that pass through C (C_RECURSION_LIMIT)",
)
