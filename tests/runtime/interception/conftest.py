"""A process's observation, new for each test."""

from __future__ import annotations

import pytest

from devlint.runtime.session import observation


@pytest.fixture(autouse=True)
def new_observation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observation, "_shared", [])
