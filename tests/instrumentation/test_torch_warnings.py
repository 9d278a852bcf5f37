"""Warnings of torch are shown where they would be without devlint."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
import torch
from torch.nn import functional

import devlint


def warned_by(around: Callable[[], AbstractContextManager[object]]) -> list[tuple[str, int, str]]:
    """Files, lines and texts of what a few calls warn of under Python's usual filters."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        globals().pop("__warningregistry__", None)
        with around():
            x = torch.ones(2, 2)
            for _ in range(2):
                functional.softmax(x)
            functional.softmax(x)
    return [(warning.filename, warning.lineno, str(warning.message)) for warning in caught]


@pytest.mark.parametrize("around", [devlint.guard, devlint.simulate], ids=["guard", "simulation"])
def test_places_and_number_are_those_of_the_program(
    around: Callable[[], AbstractContextManager[object]],
) -> None:
    bare = warned_by(contextlib.nullcontext)
    assert len(bare) == 2
    assert warned_by(around) == bare


def test_the_program_s_filters_decide() -> None:
    with devlint.guard(), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="Implicit dimension"):
            functional.softmax(torch.ones(2, 2))


def test_filters_are_left_as_they_were() -> None:
    before = list(warnings.filters)
    with devlint.guard():
        pass
    assert list(warnings.filters) == before
