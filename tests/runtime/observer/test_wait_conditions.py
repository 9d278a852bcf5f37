"""Calls that torch refuses, looked at before it does."""

from __future__ import annotations

import io

import pytest
import torch

import devlint
from devlint.runtime.session.observation import shared


@pytest.mark.parametrize("place", ["gpu", "cuda:x", ""])
def test_a_place_that_is_none_is_torch_s_to_refuse(place: str) -> None:
    file = io.BytesIO()
    torch.save(torch.ones(2), file)
    file.seek(0)
    with devlint.guard(), pytest.raises(RuntimeError, match=r"device string|restore data location"):
        torch.load(file, map_location=place)
    assert not shared().failed
