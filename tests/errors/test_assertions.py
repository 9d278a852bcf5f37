"""Assertions that kernels print are told from their conditions."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.errors.assertions import assertion, rows

_TEXTS = Path(__file__).parent / "assertion_texts.tsv"
PRINTED = [line.split("\t") for line in _TEXTS.read_text("utf-8").splitlines() if not line.startswith("#")]


@pytest.mark.parametrize(("said", "line"), PRINTED)
def test_conditions(said: str, line: str) -> None:
    found = assertion(f"epoch 1\n{line}\nTraceback")
    assert found is not None
    assert said in found.says
    assert bool(found.says) == bool(said)
    assert bool(found.help) == bool(said)


@pytest.mark.parametrize("number", range(len(rows())))
def test_each_row_decides_some_condition(number: int) -> None:
    said = [found for _, line in PRINTED if (found := assertion(line)) is not None]
    row = rows()[number]
    assert any(
        row.condition.search(found.condition)
        and not any(other.condition.search(found.condition) for other in rows()[:number])
        for found in said
    ), row.condition.pattern


def test_one_that_is_known_is_preferred() -> None:
    unknown, known = "Assertion `a == b` failed.", "Assertion `t >= 0 && t < n_classes` failed."
    found = assertion(f"{unknown}\n{known}\n")
    assert found is not None
    assert "label" in found.says


def test_none() -> None:
    assert assertion("AssertionError: a == b") is None
