"""Running compiled code as the Python that it was made of, so that function modes see what it does."""

from __future__ import annotations

import functools
import sys
from typing import Any

import torch

from devlint.instrumentation.patches import Patches


def run_eagerly(patches: Patches) -> None:
    """Compiled functions, of before and of now, run the code that they were made of."""
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
"""Options that do not choose a compiler."""


class _Stance:
    """Dynamo's stance, with the way back."""

    def __init__(self) -> None:
        self._stance = torch.compiler.set_stance("force_eager")

    def remove(self) -> None:
        """Compile again."""
        self._stance.__exit__(None, None, None)


def _force_eager(patches: Patches) -> None:
    patches.removable(_Stance())
