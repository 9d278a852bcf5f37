"""Functions that select another algorithm under a dispatch mode, which rounds differently.

`torch.linalg.svdvals` and `eigvalsh`, and functions that use them, also compute vectors if a gradient may be
needed, which they infer from a dispatch mode (`isTensorSubclassLike` in torch's
aten/src/ATen/native/BatchLinearAlgebra.cpp). Without a gradient they are run without modes, so that the bits
are those of the CPU.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_leaves

from devlint.simulation.labels import label_new, label_of
from devlint.simulation.layer import Handler, Layer

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]


def _alone(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Run without modes, if these only have to label the result."""
    tensors = [value for value in (*args, *kwargs.values()) if isinstance(value, Tensor)]
    label, *others = {label_of(tensor) for tensor in tensors} or {None}
    differentiable = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)
    if label is None or others or differentiable:
        return layer.scope.run(func, args, kwargs)
    with _disable_current_modes():
        result = func(*args, **kwargs)
    for leaf in tree_leaves(result):
        if isinstance(leaf, Tensor):
            label_new(leaf, label)
    return result


HANDLERS: dict[Any, Handler] = dict.fromkeys(
    (
        torch.linalg.cond,
        torch.linalg.eigvals,
        torch.linalg.eigvalsh,
        torch.linalg.matrix_norm,
        torch.linalg.norm,
        torch.linalg.svdvals,
        torch.nuclear_norm,
        torch.norm,
        Tensor.norm,
    ),
    _alone,
)
