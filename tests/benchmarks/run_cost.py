"""Measures the cost of observing a program: `python -m tests.benchmarks.run_cost`.

README.md describes what is measured, and how.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from statistics import median
from time import perf_counter, process_time
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._debug_mode import DebugMode
from torch.utils._python_dispatch import TorchDispatchMode

import devlint
from devlint.runtime.policy.settings import EVERY_AUTO, RunSettings
from devlint.runtime.session.session import Session

Work = Callable[[], None]
Contender = Callable[[], AbstractContextManager[Any]]


class IdleFunctionMode(TorchFunctionMode):
    """Does nothing: the least that a function mode costs."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class IdleDispatchMode(TorchDispatchMode):  # type: ignore[no-untyped-call] # torch is untyped here
    """Does nothing: the least that a dispatch mode costs."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class Run:
    """The contexts in which `devlint run` executes a program."""

    def __init__(self, settings: RunSettings) -> None:
        self._session = Session(settings)

    def __enter__(self) -> None:
        self._session.start()

    def __exit__(self, *_: object) -> None:
        self._session.stop()


CONTENDERS: dict[str, Contender] = {
    "bare": nullcontext,
    "idle function mode": IdleFunctionMode,
    "devlint run --every auto": lambda: Run(RunSettings(every=EVERY_AUTO)),
    "devlint run --every 1": lambda: Run(RunSettings()),
    "devlint run --simulate cuda": lambda: Run(RunSettings(simulate="cuda")),
    "idle dispatch mode": IdleDispatchMode,
    "torch DebugMode": DebugMode,
}
"""The contexts in which the work is executed."""


def addition() -> Work:
    """A thousand additions of 64 by 64 matrices."""
    left, right = torch.ones(64, 64), torch.ones(64, 64)

    def work() -> None:
        for _ in range(1000):
            left + right

    return work


def factory() -> Work:
    """A thousand small tensors made without a device."""

    def work() -> None:
        for _ in range(1000):
            torch.ones(3)

    return work


def training_step() -> Work:
    """One step of a transformer encoder of 4 layers, 512 wide, on 16 sequences of 64 tokens, with Adam."""
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    layer = nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True)
    model = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).to(device)
    head = nn.Linear(512, 1000).to(device)
    optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=1e-4)
    inputs = torch.randn(16, 64, 512, device=device)
    targets = torch.randint(1000, (16 * 64,), device=device)

    def work() -> None:
        optimizer.zero_grad()
        logits = head(model(inputs)).flatten(0, 1)
        nn.functional.cross_entropy(logits, targets).backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    return work


def small_steps(steps: int) -> Work:
    """Steps of three layers, 64 wide, on 32 rows, with Adam: as little as a step that trains can do."""
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    layers = [nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64)]
    model = nn.Sequential(*layers).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    inputs, targets = torch.randn(32, 64, device=device), torch.randn(32, 64, device=device)

    def work() -> None:
        for _ in range(steps):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(inputs), targets).backward()  # type: ignore[no-untyped-call]
            optimizer.step()

    return work


WORKS: dict[str, tuple[Callable[[], Work], str]] = {
    "64 x 64 addition": (addition, "idle function mode"),
    "making a tensor": (factory, "bare"),
    "training step": (training_step, "bare"),
    "small training steps": (partial(small_steps, 300), "bare"),
    "20,000 small training steps": (partial(small_steps, 20_000), "bare"),
}
"""What is timed, and what the ratios are to."""


def seconds(prepare: Callable[[], Work], contender: Contender) -> float:
    """Seconds of the work inside a contender, once it is warm. It is prepared inside.

    On the CPU it is the processor's time, which other programs do not lengthen; with a GPU, the wall's.
    """
    clock = perf_counter if torch.cuda.is_available() else process_time
    with contender():
        work = prepare()
        work()
        started = clock()
        work()
        return clock() - started


def measure(prepare: Callable[[], Work], rounds: int, chosen: Sequence[str]) -> dict[str, list[float]]:
    """Seconds of each contender in each round, which has them one after the other, so they share its luck."""
    found: dict[str, list[float]] = {name: [] for name in chosen}
    for _ in range(rounds):
        for name in chosen:
            found[name].append(seconds(prepare, CONTENDERS[name]))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print, for each work and contender, the median seconds and the median of the rounds' ratios."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.run_cost", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--work", action="append", choices=list(WORKS), help="this alone; repeatable")
    parser.add_argument("--contender", action="append", choices=list(CONTENDERS), help="likewise")
    options = parser.parse_args(arguments)
    rounds, chosen = options.rounds, options.contender or list(CONTENDERS)
    torch.set_num_threads(1)
    sys.stdout.write(
        f"devlint {devlint.__version__}, torch {torch.__version__}, {rounds} rounds, one thread\n"
    )
    for title in options.work or WORKS:
        prepare, base = WORKS[title]
        found = measure(prepare, rounds, list(dict.fromkeys([base, *chosen])))
        sys.stdout.write(f"\n{title}\n{'':28}  {'ms':>9}  {'x ' + base}\n")
        for name, times in found.items():
            ratios = [time / reference for time, reference in zip(times, found[base], strict=True)]
            sys.stdout.write(f"{name:28}  {median(times) * 1e3:9.3f}  {median(ratios):.3f}\n")


if __name__ == "__main__":
    main()
