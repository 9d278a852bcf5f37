"""A program that calls torch a given number of times, and measures itself.

It runs by itself, and under `devlint run`. Tensors, modules, optimizers, threads and tasks come and go; what
is printed at each mark, a JSON object a line, is of the calls since the mark before.
"""

from __future__ import annotations

import asyncio
import copy
import gc
import io
import json
import os
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils.data import DataLoader, TensorDataset

from tests.benchmarks.long_run.tables import entries

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
EVERY_ROUND, NOW_AND_THEN = 20, 10
"""Steps in a round; one round in so many has what takes long: threads, tasks, a checkpoint, an error."""


class Net(nn.Module):
    """Two layers, and a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 1)
        self.register_buffer("scale", torch.ones(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Shape (N, 8) to (N, 1)."""
        hidden = torch.relu(self.first(x))
        result: torch.Tensor = self.second(hidden) * self.scale
        return result


class Program:
    """The objects that exist for the whole run: a model, its optimizer, its data."""

    def __init__(self) -> None:
        self.model = Net().to(DEVICE)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-3)
        self.data = TensorDataset(torch.rand(2 * EVERY_ROUND, 8), torch.rand(2 * EVERY_ROUND, 1))
        self.state = torch.zeros(4, device=DEVICE)
        self.total = 0.0
        self.gone: list[weakref.ref[Any]] = []
        """Objects of the last rounds, which should have been released."""

    def round(self, number: int) -> None:
        """Train a few steps, and create and release other objects."""
        self._train()
        self._compute()
        self._come_and_go()
        if number % NOW_AND_THEN == 0:
            self._in_thread()
            asyncio.run(self._in_tasks())
            self._checkpoint()
            self._fail()

    def alive(self) -> int:
        """The number of temporary objects that are still alive. A collection runs first, because asyncio's
        loops are cycles."""
        gc.collect()
        still = sum(ref() is not None for ref in self.gone)
        self.gone.clear()
        return still

    def _train(self) -> None:
        for x, y in DataLoader(self.data, batch_size=2):
            self.optimizer.zero_grad()
            loss = (self.model(x.to(DEVICE)) - y.to(DEVICE)).square().mean()
            loss.backward()
            self.optimizer.step()
        self.total += loss.item()

    def _compute(self) -> None:
        for turn in range(40):
            moved = (self.state + turn).to("cpu")
            self.state = (moved * 0.5 + torch.ones(4)).to(DEVICE)
            picked = self.state[self.state > 0]
            if picked.sum() > 100:
                self.state = self.state.clamp(max=10)
        self.state[0] = 1.0

    def _come_and_go(self) -> None:
        network = Net().to(DEVICE)
        result = network(torch.rand(2, 8, device=DEVICE))
        twin = copy.deepcopy(result.detach())
        self.gone += map(weakref.ref, (network, result, twin))

    def _in_thread(self) -> None:
        def work() -> None:
            torch.arange(3).to(DEVICE).sum().item()

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        self.gone.append(weakref.ref(thread))

    async def _in_tasks(self) -> None:
        async def work(number: int) -> float:
            await asyncio.sleep(0)
            return float((torch.ones(2, device=DEVICE) * number).sum())

        tasks = [asyncio.create_task(work(number)) for number in range(3)]
        self.total += sum(await asyncio.gather(*tasks))
        self.gone += map(weakref.ref, tasks)

    def _checkpoint(self) -> None:
        file = io.BytesIO()
        torch.save(self.model.state_dict(), file)
        file.seek(0)
        self.model.load_state_dict(torch.load(file, map_location=DEVICE, weights_only=True))

    def _fail(self) -> None:
        here = torch.ones(2, device=DEVICE)
        self.gone.append(weakref.ref(here))
        with suppress(RuntimeError, AssertionError):
            here.to("cuda:7")  # devlint: ignore[DL105]  # it raises: there is no such device


class Counting(TorchFunctionMode):
    """Counts the calls of torch that a function mode sees."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.calls += 1
        return func(*args, **(kwargs or {}))


def run(calls: int, marks: int, trace: str = "") -> Iterator[dict[str, Any]]:
    """Make this many calls, and measure at this many marks, the first of which ends the warm-up."""
    program = Program()
    with Counting() as counting:
        for number in range(NOW_AND_THEN):
            program.round(number)
    each = counting.calls / NOW_AND_THEN
    number, made, before = 0, 0.0, _Clock()
    for mark in range(1, marks + 1):
        while made < calls * mark / marks:
            program.round(number)
            number, made = number + 1, made + each
        yield {"calls": round(made), **before.passed(), **_held(program, trace)}
        before = _Clock()


class _Clock:
    """The processor's seconds, which other programs do not lengthen, and the clock's."""

    def __init__(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def passed(self) -> dict[str, float]:
        return {"cpu": time.process_time() - self._cpu, "wall": time.perf_counter() - self._wall}


def _held(program: Program, trace: str) -> dict[str, Any]:
    return {
        "alive": program.alive(),
        "resident": _resident(),
        "objects": len(gc.get_objects()),
        "threads": threading.active_count(),
        "trace": os.path.getsize(trace) if trace else 0,  # noqa: PTH202
        "tables": entries(),
    }


def _resident() -> float:
    """The resident memory of this process, in MiB."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for told in run(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else ""):
        print(json.dumps(told), flush=True)  # noqa: T201
