"""Confidence has an order, the surest first."""

from __future__ import annotations

from itertools import product

import pytest

from devlint.model import Confidence

LEVELS = [Confidence.SEEN, Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE]


def test_levels_stand_in_the_order_of_their_sureness() -> None:
    assert list(Confidence) == LEVELS == sorted(Confidence, key=lambda level: level.rank)


@pytest.mark.parametrize(("left", "right"), list(product(LEVELS, LEVELS)))
def test_a_level_is_at_least_itself_and_all_that_are_less_sure(left: Confidence, right: Confidence) -> None:
    assert left.at_least(right) is (LEVELS.index(left) <= LEVELS.index(right))
    assert Confidence.surest((left, right)) is LEVELS[min(map(LEVELS.index, (left, right)))]
    assert Confidence.weakest((left, right)) is LEVELS[max(map(LEVELS.index, (left, right)))]
