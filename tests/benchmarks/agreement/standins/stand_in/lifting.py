"""A pytest plugin that lets tests written for the CPU run on the device.

What a factory makes in a test's own lines is made on the device, and a module is moved there when such a line
calls it. Nothing is changed for the package's own lines.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode

NAMES = (
    "arange", "as_tensor", "empty", "eye", "full", "linspace", "logspace", "normal", "ones", "rand",
    "randint", "randn", "randperm", "tensor", "zeros",
)  # fmt: skip
FACTORIES = {getattr(torch, name) for name in NAMES}
OURS = tuple(str(Path(sys.modules[name].__file__ or "").parent) for name in ("torch", __package__))


def of_test(frame: FrameType | None) -> bool:
    """Whether the nearest frame outside of torch is of a test's file."""
    while frame is not None and (
        frame.f_code.co_filename.startswith(OURS) or "/devlint/" in frame.f_code.co_filename
    ):
        frame = frame.f_back
    return frame is not None and "/tests/" in frame.f_code.co_filename


class Lifting(TorchFunctionMode):
    """Makes on the device what a test makes."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call a function of torch."""
        kwargs = kwargs or {}
        if func in FACTORIES and kwargs.get("device") is None and of_test(sys._getframe(1)):
            kwargs = {**kwargs, "device": "cuda"}
        return func(*args, **kwargs)


def move_called_modules() -> None:
    """Move modules to the device when a test calls them."""
    call = torch.nn.Module.__call__

    def move_and_call(self: torch.nn.Module, *arguments: Any, **options: Any) -> Any:
        if of_test(sys._getframe(1)):
            self.cuda()
        return call(self, *arguments, **options)

    torch.nn.Module.__call__ = move_and_call  # type: ignore[method-assign]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Let a test run so."""
    with Lifting():
        yield


def pytest_configure() -> None:
    """Begin."""
    move_called_modules()
