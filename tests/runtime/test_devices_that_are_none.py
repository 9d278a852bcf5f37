"""Tests that devlint continues to observe after torch has rejected a device."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch

import devlint
from devlint.runtime.observer.functions import name_of, rows
from devlint.runtime.session import observation

NO_DEVICES = ("stochastic_block_model", "", "cuda:", "cuda:x", "cuda:-1", -1, 99, 2**70, True, object())


@pytest.fixture(autouse=True)
def _observed_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)  # some write files
    monkeypatch.setattr(observation, "_shared", [])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("simulated", [True, False])
@pytest.mark.parametrize("function", list(rows()), ids=name_of)
def test_devlint_does_not_step_aside(function: Callable[..., Any], simulated: bool) -> None:
    with devlint.simulate("cuda") if simulated else nullcontext(), devlint.guard():
        for device in NO_DEVICES:
            x = torch.ones(2)
            _call(function, x, device)
            _call(function, x, device=device)
            _call(function, 2, device=device)
            _call(function, device=device)
    assert not observation.shared().failed


def _call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    try:
        function(*args, **kwargs)
    except Exception:
        return
