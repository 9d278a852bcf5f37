"""Writes down which optimizer has made each step of a program."""

from __future__ import annotations

import atexit
import json
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook


def note(target: str) -> None:
    """Note from now on, and write the number of the optimizer of each step to the target at exit."""
    numbers: WeakKeyDictionary[Optimizer, int] = WeakKeyDictionary()
    steps: list[int] = []
    met = 0

    def stepped(optimizer: Optimizer, *_: Any) -> None:
        nonlocal met
        if optimizer not in numbers:
            numbers[optimizer] = met
            met += 1
        steps.append(numbers[optimizer])

    register_optimizer_step_post_hook(stepped)
    atexit.register(lambda: Path(target).write_text(json.dumps(steps), "utf-8"))
