"""Watching changes nothing: results, random numbers, torch's own functions, memory."""

from __future__ import annotations

import copy
import gc
import multiprocessing.process
import threading
import traceback
import warnings
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
import torch._dynamo
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset

import devlint
from devlint.instrumentation.mode_stack import modes
from devlint.runtime.interception import wrapping
from devlint.runtime.session import observation
from tests.runtime.interception.watching import session


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return gradient * 2 + x.mean().item()


class Network(nn.Module):
    """Lazy layers, dropout, attention, a checkpoint, a custom function."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.LazyLinear(16)
        self.norm = nn.LazyBatchNorm1d()
        self.block = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
        self.last = nn.Linear(16, 1)

    def forward(self, x: Any) -> Any:
        doubled: Any = Doubled
        x = doubled.apply(self.norm(self.first(x)))
        x = checkpoint(self.block, x[:, None], use_reentrant=False)
        return self.last(x[:, 0])


def train() -> dict[str, torch.Tensor]:
    """A small training run with hooks, autocast, a gradient scaler, threads, all kinds of randomness."""
    torch.manual_seed(0)
    network: Any = Network()
    data = TensorDataset(
        torch.randn(24, 8), torch.from_numpy(np.random.default_rng(0).normal(size=24)).float()
    )
    seen: list[torch.Tensor] = []
    network(torch.zeros(2, 8))
    network.last.weight.register_hook(lambda gradient: gradient.clamp(-1, 1))
    network.block.register_forward_hook(lambda *_: seen.append(torch.rand(1)))
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    for _ in range(2):
        for x, y in DataLoader(data, batch_size=8, shuffle=True):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = (network(x)[:, 0] - y).square().mean()
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
    in_thread: list[torch.Tensor] = []
    thread = threading.Thread(target=lambda: in_thread.append(torch.randn(3)))
    thread.start()
    thread.join()
    network.eval()
    with torch.no_grad():
        shown = network(torch.ones(2, 8))
    return dict(network.state_dict()) | {
        "seen": torch.cat(seen),
        "thread": in_thread[0],
        "shown": shown,
        "random": torch.get_rng_state(),
    }


@pytest.fixture(scope="module")
def bare() -> dict[str, torch.Tensor]:
    return train()


@contextmanager
def simulated() -> Iterator[None]:
    with devlint.simulate("cuda"), devlint.guard():
        yield


@pytest.mark.parametrize("around", [devlint.guard, simulated], ids=["guard", "simulation"])
def test_the_results_are_the_same_bit_for_bit(bare: dict[str, torch.Tensor], around: Any) -> None:
    with around():
        watched = train()
    assert watched.keys() == bare.keys()
    assert [name for name in bare if not torch.equal(watched[name], bare[name])] == []
    assert {name: value.requires_grad for name, value in watched.items()} == {
        name: value.requires_grad for name, value in bare.items()
    }


def test_parameters_without_a_shape_yet_do_no_harm() -> None:
    with session() as found:
        network = nn.LazyLinear(8).cuda()
        copy.deepcopy(network).to("cuda").load_state_dict(network.state_dict())
        network(torch.ones(2, 4, device="cuda"))
    assert found.remarks == []


def snapshot() -> dict[tuple[str, str], int]:
    """The attributes of modules and classes that devlint replaces."""
    owners = (
        torch,
        torch.Tensor,
        torch.cuda,
        torch.cuda.Stream,
        torch.cuda.Event,
        torch.accelerator,
        torch.autograd,
        torch.autograd.graph,
        torch.overrides,
        torch.jit,
        torch.jit.ScriptModule,
        torch.export,
        torch._dynamo.eval_frame,
        torch.utils.data.dataloader._BaseDataLoaderIter,
        threading,
        threading.Thread,
        multiprocessing.process.BaseProcess,
        traceback.TracebackException,
        warnings,
    )
    return {
        (getattr(owner, "__name__", str(owner)), name): id(value)
        for owner in owners
        for name, value in vars(owner).items()
        if name not in ("__warningregistry__", "__doc__", "__abstractmethods__")
    }


@pytest.mark.parametrize("around", [devlint.guard, simulated], ids=["guard", "simulation"])
def test_nothing_is_left_behind(around: Any) -> None:
    train()
    before, stack = snapshot(), modes()
    with around():
        assert snapshot() != before
        train()
    after = snapshot()
    assert {name for name in before if after.get(name) != before[name]} == set()
    assert modes() == stack


def test_an_error_leaves_nothing_behind_either() -> None:
    before, stack = snapshot(), modes()
    with pytest.raises(ZeroDivisionError), devlint.guard():
        1 / 0  # noqa: B018
    assert snapshot() == before
    assert modes() == stack


def step(network: Any, optimizer: Any) -> None:
    optimizer.zero_grad()
    y = network(torch.randn(4, 8).to(torch.float64).float())
    y.register_hook(lambda gradient: gradient * 2)
    checkpoint(torch.sin, y, use_reentrant=False).sum().backward()
    optimizer.step()
    torch.from_numpy(np.ones(3)).tolist()


def objects() -> int:
    gc.collect()
    return len(gc.get_objects())


@pytest.mark.parametrize("around", [devlint.guard, simulated], ids=["guard", "simulation"])
def test_memory_does_not_grow(around: Any) -> None:
    network = nn.Linear(8, 8)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    with around():
        for _ in range(30):
            step(network, optimizer)
        before = objects()
        for _ in range(300):
            step(network, optimizer)
        after = objects()
    assert after - before < 30, "less than one object in ten steps"


def test_what_is_watched_is_freed_without_the_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        with devlint.guard():
            step(network := nn.Linear(8, 8), torch.optim.SGD(network.parameters(), lr=0.1))
            gone = weakref.ref(network)
            del network
            made = torch.ones(1000)
            memory = weakref.ref(made)
            del made
        assert gone() is None
        assert memory() is None
    finally:
        gc.enable()


def test_tensors_without_one_shape_do_no_harm() -> None:
    with session() as found:
        nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
        for _ in range(2):
            nested.to("cuda").cpu()
            torch.eye(3).to_sparse().cuda().cpu()
    assert found.remarks == []


def test_where_torch_lacks_something_the_program_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(*_: object) -> None:
        raise AttributeError("there is no such engine")

    before = snapshot()
    monkeypatch.setattr(wrapping, "patch", lacking)
    with devlint.guard() as guard:
        assert torch.ones(2).sum().item() == 2.0
    assert guard.findings == []
    assert snapshot() == before
    (remark,) = observation.shared().remarks
    assert "devlint failed; the program continues" in remark
