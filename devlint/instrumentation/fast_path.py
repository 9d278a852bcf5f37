"""Keeping the fused path of transformer layers, which rounds differently from the plain one.

The layers do not take it if a torch function is overridden, and a function mode counts as that. Results would
then depend on whether devlint observes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, overrides
from torch.jit._builtins import _get_builtin_table

from devlint.instrumentation.patches import Patches


def patch_fast_path(patches: Patches) -> None:
    """Let only tensor subclasses count as overrides for callers of `torch.overrides`, such as layers.

    TorchScript maps the replacement to the same operator as torch's function. Otherwise it would fail to
    compile it, and reject each class that uses it.
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
