"""Whether transformer layers take their fused path, which rounds otherwise than the plain one.

They refuse it where a torch function is overridden, and a function mode counts as that. Results would depend
on whether anyone watches.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, overrides

from devlint.runtime.patches import Patches


def patch_fast_path(patches: Patches) -> None:
    """Let tensor subclasses alone count, for those who ask `torch.overrides` at each call, as layers do."""
    patches.replace(overrides, "has_torch_function", _any_overrides)


def _any_overrides(values: Iterable[Any]) -> bool:
    return any(_overrides(type(value)) for value in values)


def _overrides(kind: type) -> bool:
    handler = getattr(kind, "__torch_function__", None)
    return handler not in (None, _DISABLED, Tensor.__torch_function__)


_DISABLED = torch._C._disabled_torch_function_impl
