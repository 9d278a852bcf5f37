"""The sync debug mode's warnings, without a GPU: the warnings are given by hand."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest
import torch

from devlint.instrumentation.patches import Patches
from devlint.runtime.cuda import sync_debug

TEXT = (
    "called a synchronizing CUDA operation (Triggered internally at /pytorch/c10/cuda/CUDAFunctions.cpp:149.)"
)
"""As torch 2.13 has it."""


@pytest.fixture
def modes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """The modes that were set, the last of which is in force."""
    found: list[object] = []
    monkeypatch.setattr(torch.cuda, "set_sync_debug_mode", found.append)
    monkeypatch.setattr(torch.cuda, "get_sync_debug_mode", lambda: 0)
    with warnings.catch_warnings():
        yield found


def test_it_hears_every_warning_and_shows_none(modes: list[object]) -> None:
    heard: list[str] = []
    shown: list[str] = []
    patches = Patches()
    patches.replace(warnings, "showwarning", lambda message, *_: shown.append(str(message)))
    warnings.resetwarnings()
    sync_debug.listen(patches, heard.append)
    try:
        for _ in range(3):
            warnings.warn(TEXT, stacklevel=1)
        warnings.warn("something else", stacklevel=1)
    finally:
        patches.undo()
    assert heard == ["stream"] * 3
    assert shown == ["something else"]
    assert modes == ["warn", "default"]


def test_afterwards_filters_are_as_before(modes: list[object]) -> None:
    before = list(warnings.filters)
    patches = Patches()
    sync_debug.listen(patches, print)
    assert warnings.filters != before
    patches.undo()
    assert warnings.filters == before
    assert modes


def test_a_program_that_uses_the_mode_itself_keeps_it(
    modes: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "get_sync_debug_mode", lambda: 2)
    sync_debug.listen(Patches(), print)
    assert modes == []
