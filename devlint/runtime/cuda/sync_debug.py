"""Torch's sync debug mode: a warning at each synchronization that torch knows of.

The mode applies to the whole process, and the program may set it itself. Warnings of operators called by
`torch.ops` go to standard error and never reach Python; those of a backward pass are issued after the pass. A
program that collects warnings, or turns them into errors, gets these as well (`warnings.catch_warnings`,
which pytest uses for every test).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, cast

import torch

from devlint.instrumentation.patches import Patches
from devlint.runtime.cuda.trace import Heard

_WARNING = "called a synchronizing CUDA operation"
"""How torch's warning begins (c10/cuda/CUDAFunctions.cpp)."""


def listen(patches: Patches, heard: Heard) -> None:
    """Observe each synchronization until the patches are undone; none if the program has set the mode."""
    if torch.cuda.get_sync_debug_mode():
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch calls it a prototype
        torch.cuda.set_sync_debug_mode("warn")
    patches.later(lambda: torch.cuda.set_sync_debug_mode("default"))
    _hear_all(patches)
    patches.wrap(warnings, "showwarning", _hearing(heard))


def _hear_all(patches: Patches) -> None:
    """Make Python show these warnings always, instead of once per line."""
    before = list(warnings.filters)
    warnings.filterwarnings("always", message=_WARNING)
    added = [each for each in warnings.filters if each not in before]
    patches.later(lambda: _without(added))


def _without(added: list[Any]) -> None:
    filters = cast("list[Any]", warnings.filters)
    for each in added:
        if each in filters:
            filters.remove(each)


def _hearing(heard: Heard) -> Callable[[Callable[..., object]], Callable[..., object]]:
    def around(show: Callable[..., object]) -> Callable[..., object]:
        def showwarning(message: Any, *rest: Any, **options: Any) -> object:
            if str(message).startswith(_WARNING):
                heard("stream")
                return None
            return show(message, *rest, **options)

        return showwarning

    return around
