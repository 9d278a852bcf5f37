"""Names of attributes that only tensors have, among the objects that programs use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

_GENERIC = Path(__file__).parent / "hand" / "generic_attributes.txt"
_OTHERS = (
    np.ndarray,
    nn.Module,
    torch.Generator,
    torch.Size,
    torch.UntypedStorage,
    torch.cuda.Event,
    torch.cuda.Stream,
    torch.device,
    torch.distributions.Distribution,
    torch.dtype,
    torch.optim.Optimizer,
    torch.utils.data.DataLoader,
    torch.utils.data.Dataset,
    PackedSequence,
    bytes,
    complex,
    dict,
    float,
    int,
    list,
    set,
    str,
)


def text() -> str:
    """The content of `devlint/operators/data/tensor_attributes.txt`: one name a line."""
    names = {name for name in dir(torch.Tensor) if not name.startswith("_")}
    for other in _OTHERS:
        names.difference_update(dir(other))
    lines = _GENERIC.read_text(encoding="utf-8").splitlines()
    names.difference_update(line for line in lines if not line.startswith("#"))
    return "".join(f"{name}\n" for name in sorted(names))
