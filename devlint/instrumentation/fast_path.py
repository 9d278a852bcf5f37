"""Whether transformer layers take their fused path, which rounds otherwise than the plain one.

They refuse it where a torch function is overridden, and a function mode counts as that. Results would depend
on whether anyone watches.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, overrides
from torch.jit._builtins import _get_builtin_table

from devlint.instrumentation.patches import Patches


def patch_fast_path(patches: Patches) -> None:
    """Let tensor subclasses alone count, for those who ask `torch.overrides` at each call, as layers do.

    TorchScript takes it for the operator that it takes torch's own for. Else it would compile it, fail, and
    refuse from then on every class in which it met it.
    """
    patches.replace(overrides, "has_torch_function", _any_overrides)
    builtins: dict[int, str] = _get_builtin_table()  # type: ignore[no-untyped-call]
    patches.replace_item(builtins, id(_any_overrides), "aten::has_torch_function")


def _any_overrides(values: Iterable[Any]) -> bool:
    return any(_overrides(type(value)) for value in values)


def _overrides(kind: type) -> bool:
    handler = getattr(kind, "__torch_function__", None)
    return handler not in (None, _DISABLED, Tensor.__torch_function__)


_DISABLED = torch._C._disabled_torch_function_impl
