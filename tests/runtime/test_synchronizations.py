"""The host waits: nearly all of it is seen, and next to nothing else is taken for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from tests.runtime.synchronizations import SIMULATED, Verdict, score, verdicts


@pytest.fixture(scope="module")
def found() -> Iterator[list[Verdict]]:
    state = torch.get_rng_state()
    yield list(verdicts(SIMULATED))
    torch.set_rng_state(state)


def test_waits_are_seen_and_nothing_else(found: list[Verdict]) -> None:
    recall, precision = score(found)
    wrong = [f"{verdict.snippet.fact}: {verdict.snippet.code}" for verdict in found if not verdict.right]
    assert (recall >= 0.98, precision >= 0.98) == (True, True), wrong
