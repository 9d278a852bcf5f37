"""A check that simulated devices leave torch as it was, after the tests of each file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch


@pytest.fixture(scope="module", autouse=True)
def uninitialized() -> Iterator[None]:
    """A build without CUDA still says so: torch initializes a type of device once for each process, and
    raises other errors from then on."""
    yield
    if torch.version.cuda is None:
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            torch.ones(1, device="cuda")
