"""Fixtures: the kernels that are looked at, and torch as it was after the tests of each file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from devlint.simulation.kernels import Kernels


@pytest.fixture(scope="module", autouse=True)
def uninitialized() -> Iterator[None]:
    """A build without CUDA still says so: torch initializes a type of device once for each process, and
    raises other errors from then on."""
    yield
    if torch.version.cuda is None:
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            torch.ones(1, device="cuda")


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kernels that simulated devices look at."""
    seen: list[str] = []
    look = Kernels.__torch_dispatch__

    def looking(kernels: Kernels, func: Any, *rest: Any) -> Any:
        seen.append(str(func))
        return look(kernels, func, *rest)

    monkeypatch.setattr(Kernels, "__torch_dispatch__", looking)
    return seen
