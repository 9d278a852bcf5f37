"""The same beginning for every run, and an end in time."""

from __future__ import annotations

import atexit
import inspect
import os
import random
import signal
from collections.abc import Set
from typing import Any

import numpy as np
import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, LinearLR, ReduceLROnPlateau
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils.data import DataLoader
from torch.utils.data.dataloader import _BaseDataLoaderIter

SEED = 0
FEWEST_STEPS = 10
"""The number of optimizer steps before which a program gets more time: fewer turns of a loop show nothing
hot."""
EXTENSIONS = 3
"""The number of extensions of its time."""


def restore_names() -> None:
    """Give NumPy, torch and Python back what programs of some years ago use."""
    numbers = {
        "int": int,
        "float": float,
        "bool": bool,
        "object": object,
        "Inf": np.inf,
        "product": np.prod,
        "in1d": np.isin,
        "asscalar": np.ndarray.item,
    }
    for name, value in numbers.items():
        if name not in vars(np):
            setattr(np, name, value)
    view, parse, make_array = torch.Tensor.view, np.fromstring, np.array
    draw_some, add_all, load = random.sample, np.sum, np.load

    def silently(schedule: Any) -> Any:
        def make(self: Any, *arguments: Any, **options: Any) -> None:
            options.pop("verbose", None)
            schedule(self, *arguments, **options)

        return make

    def parse_or_copy(text: Any, dtype: Any = float, count: int = -1, *, sep: str = "") -> Any:
        return parse(text, dtype, count, sep=sep) if sep else np.frombuffer(text, dtype, count).copy()

    def load_objects(file: Any, *arguments: Any, **options: Any) -> Any:
        if len(arguments) < 2:
            options.setdefault("allow_pickle", True)
        return load(file, *arguments, **options)

    def array_or_same(*arguments: Any, **options: Any) -> Any:
        if options.get("copy") is False:
            options["copy"] = None
        return make_array(*arguments, **options)

    def sum_of(numbers: Any, *arguments: Any, **options: Any) -> Any:
        if inspect.isgenerator(numbers):
            return sum(numbers)
        return add_all(numbers, *arguments, **options)

    def draw(loader: _BaseDataLoaderIter) -> Any:
        return next(loader)

    def sample(population: Any, k: int, **options: Any) -> list[Any]:
        return draw_some(sorted(population) if isinstance(population, Set) else population, k, **options)

    def view_or_copy(self: torch.Tensor, *shape: Any) -> torch.Tensor:
        try:
            return view(self, *shape)
        except RuntimeError as error:
            if "view size is not compatible" not in str(error):
                raise
            return self.reshape(*shape)

    def fill_where(fill: Any) -> Any:
        def filled(self: torch.Tensor, mask: torch.Tensor, value: Any) -> torch.Tensor:
            return fill(self, mask.bool() if mask.dtype == torch.uint8 else mask, value)

        return filled

    def arguments_of(function: Any) -> tuple[Any, ...]:
        return inspect.getfullargspec(function)[:4]

    inspect.getargspec = arguments_of  # type: ignore[attr-defined]
    np.load = load_objects
    np.array = array_or_same
    np.fromstring = parse_or_copy
    np.sum = sum_of
    random.sample = sample
    _BaseDataLoaderIter.next = draw  # type: ignore[attr-defined]
    for scheduler in (CosineAnnealingLR, LambdaLR, LinearLR, ReduceLROnPlateau):
        scheduler.__init__ = silently(scheduler.__init__)  # type: ignore[method-assign]
    for name in ("masked_fill", "masked_fill_"):
        setattr(torch.Tensor, name, fill_where(getattr(torch.Tensor, name)))
    if "PROGRAM_FULL_OF_FLOATS" in os.environ:  # as before torch 1.7
        full = torch.full
        torch.full = lambda size, number, **options: full(size, float(number), **options)  # type: ignore[assignment]
    torch.Tensor.view = view_or_copy  # type: ignore[method-assign,assignment]


def seed() -> None:
    """Start all generators at the same place."""
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)


def stop_after(steps: int, seconds: float) -> None:
    """End the program after so many optimizer steps or seconds, as if it had come to its end.

    The seconds are of the processor: other work on the machine does not decide how far a program comes. On a
    slow machine, a program that has done few steps goes on for some time.
    """
    done = 0
    left = EXTENSIONS

    def count(*_: Any) -> None:
        nonlocal done
        done += 1
        if done == steps:
            raise SystemExit

    def give_up(*_: Any) -> None:
        nonlocal left
        if done >= FEWEST_STEPS or not left:
            raise SystemExit
        left -= 1
        signal.setitimer(signal.ITIMER_PROF, seconds)

    register_optimizer_step_post_hook(count)
    signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    # Python gives signals back their first effect as it ends: this one would then fail what has ended well.
    atexit.register(signal.setitimer, signal.ITIMER_PROF, 0)


def load_in_this_process() -> None:
    """Let data loaders have no workers: what runs in a worker is not counted."""
    make_loader = DataLoader.__init__

    def make(self: DataLoader[Any], *arguments: Any, **options: Any) -> None:
        arguments = (*arguments[:5], 0, *arguments[6:]) if len(arguments) > 5 else arguments
        for name in (
            "num_workers",
            "prefetch_factor",
            "persistent_workers",
            "multiprocessing_context",
            "timeout",
        ):
            options.pop(name, None)
        make_loader(self, *arguments, **options)

    DataLoader.__init__ = make  # type: ignore[method-assign]
