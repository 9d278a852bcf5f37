"""Every interpreter that runs a program imports this module first.

It gives the runs that are compared the same beginning: the same seeds, and on the CPU the same path through
the program as on CUDA, where the catalogue asks for that.
"""

from __future__ import annotations

import importlib.util
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils.data import DataLoader

SEED = 0


def seed() -> None:
    """Start all generators at the same place; most programs have no option for it, or forget one."""
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)


def take_cuda_path() -> None:
    """Report that there is an accelerator, the CPU; moves to CUDA and pinning do nothing."""
    make_loader = DataLoader.__init__

    def make_without_pinning(self: DataLoader[Any], *arguments: Any, **options: Any) -> None:
        make_loader(self, *arguments, **{**options, "pin_memory": False})

    replacements: tuple[tuple[Any, str, Callable[..., Any]], ...] = (
        (torch.accelerator, "is_available", lambda: True),
        (torch.accelerator, "current_accelerator", lambda *_arguments, **_options: torch.device("cpu")),
        (torch.Tensor, "cuda", lambda self, *_arguments, **_options: self),
        (torch.nn.Module, "cuda", lambda self, *_arguments, **_options: self),
        (DataLoader, "__init__", make_without_pinning),
    )
    for owner, name, replacement in replacements:
        setattr(owner, name, replacement)


def stop_after(steps: int) -> None:
    """End the program after so many optimizer steps, as if it had come to its end."""
    done = 0

    def count(*_: Any) -> None:
        nonlocal done
        done += 1
        if done == steps:
            raise SystemExit

    register_optimizer_step_post_hook(count)


def declare_operators_of_torchvision() -> None:
    """Let torchvision be imported where its compiled part does not fit this torch.

    The package registry has it built for CUDA's torch only. Next to a CPU's torch it cannot be loaded, and
    torchvision then fails at describing two operators that are not there. None of the programs calls them.
    """
    package = importlib.util.find_spec("torchvision")
    if package is None or package.origin is None:
        return
    try:
        for compiled in Path(package.origin).parent.glob("_C*.so"):
            torch.classes.load_library(str(compiled))
    except OSError:
        for operator in ("nms", "qnms"):
            torch.library.define(f"torchvision::{operator}", "(Tensor a, Tensor b, float c) -> Tensor")


declare_operators_of_torchvision()
seed()
if "PROGRAM_TAKES_CUDA_PATH" in os.environ:
    take_cuda_path()
if "PROGRAM_STEPS" in os.environ:
    stop_after(int(os.environ["PROGRAM_STEPS"]))
