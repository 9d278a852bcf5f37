"""The accelerator, hidden from test code: a test that passes on the CPU does so on the branches that it takes
without an accelerator, and the device stands for the host there."""

from __future__ import annotations

from collections.abc import Callable
from sys import _getframe
from types import FrameType
from typing import Any

import torch
from torch import Tensor

from devlint.instrumentation.patches import Patches

IsOfTest = Callable[[FrameType], bool]
Ask = Callable[..., Any]


def hide(patches: Patches, is_of_test: IsOfTest) -> None:
    """Tell frames of tests that there is no accelerator, until `patches` are undone."""
    for module, questions in _ABSENT:
        for name, absent in questions.items():
            patches.wrap(module, name, _hiding(absent, is_of_test))


def _hiding(absent: object, is_of_test: IsOfTest) -> Callable[[Ask], Ask]:
    def hiding(ask: Ask) -> Ask:
        def answer(*args: Any, **kwargs: Any) -> Any:
            return absent if is_of_test(_getframe(1)) else ask(*args, **kwargs)

        return answer

    return hiding


_NONE: dict[str, object] = {"is_available": False, "device_count": 0}
_ABSENT = (
    *((module, _NONE) for module in (torch.cuda, torch.xpu, torch.mps, torch.backends.mps)),
    (torch.accelerator, {**_NONE, "current_accelerator": None}),
)
"""Modules with their questions for devices, and the answers where there is none."""

ON_HOST = {
    getattr(Tensor, name).__get__: name == "is_cpu" for name in ("is_cpu", "is_cuda", "is_xpu", "is_mps")
}
"""What a tensor on the host answers, by the function that modes get."""
