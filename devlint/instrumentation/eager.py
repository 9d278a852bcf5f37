"""Running compiled functions as plain Python, so that function modes observe them."""

from __future__ import annotations

import functools
import sys
from typing import Any

import torch

from devlint.instrumentation.patches import Patches


def run_eagerly(patches: Patches) -> None:
    """Run compiled functions, existing and new ones, as plain Python."""
    before = torch.compile

    @functools.wraps(before)
    def compile(model: Any = None, **options: Any) -> Any:  # noqa: A001 - torch's name
        if model is None:
            return lambda function: compile(function, **options)
        _force_eager(patches)
        return before(model, backend="eager", **{name: options[name] for name in _KEPT if name in options})

    patches.replace(torch, "compile", compile)
    if "torch._dynamo" in sys.modules:
        _force_eager(patches)


_KEPT = ("fullgraph", "dynamic")
"""Options that do not select a compiler."""


class _Stance:
    """Dynamo's stance, with a way to restore it."""

    def __init__(self) -> None:
        self._stance = torch.compiler.set_stance("force_eager")

    def remove(self) -> None:
        """Restore the previous stance."""
        self._stance.__exit__(None, None, None)


def _force_eager(patches: Patches) -> None:
    patches.removable(_Stance())
