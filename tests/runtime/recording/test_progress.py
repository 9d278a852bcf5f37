"""Counting steps and batches: what goes wrong in it stays with devlint."""

from __future__ import annotations

import torch
from torch.utils.data import DataLoader, TensorDataset

from devlint.instrumentation.patches import Patches
from devlint.runtime.recording.progress import Progress


def test_a_failure_while_counting_does_not_reach_the_program() -> None:
    def fail() -> None:
        raise ValueError("devlint's own")

    progress, patches = Progress(), Patches()
    failures: list[Exception] = []
    progress.on_step = progress.on_epoch = fail
    progress.on_failure = failures.append
    progress.watch(patches)
    try:
        weight = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        batches = list(DataLoader(TensorDataset(torch.ones(2)), batch_size=1))
        optimizer.step()
    finally:
        patches.undo()
    assert len(batches) == 2
    assert (progress.batches, progress.steps) == (2, 1)
    assert [str(error) for error in failures] == ["devlint's own"] * 4
