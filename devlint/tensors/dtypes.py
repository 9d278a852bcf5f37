"""Which values name a dtype."""

from __future__ import annotations

import torch


def is_dtype(value: object) -> bool:
    """Whether a value is a dtype, or a Python type that stands for one: `bool`, `int`, `float`.

    Legacy types such as `torch.FloatTensor`, which name a device too, are none: their type is not `type`.
    """
    return isinstance(value, torch.dtype) or type(value) is type
