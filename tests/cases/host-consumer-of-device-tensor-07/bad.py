r"""Utilities to optimise a module with SciPy."""
from __future__ import annotations

from collections import OrderedDict
from typing import Dict, NamedTuple, Optional, Set, Tuple

import numpy as np
import torch
from torch.nn import Module


class TorchAttr(NamedTuple):
    shape: torch.Size
    dtype: torch.dtype
    device: torch.device


def module_to_array(
    module: Module, exclude: Optional[Set[str]] = None
) -> Tuple[np.ndarray, Dict[str, TorchAttr]]:
    r"""Extract named parameters from a module into a numpy array.

    Only extracts parameters with requires_grad, since it is meant for optimizing.

    Args:
        module: A module with parameters.
        exclude: A set with parameter names to be excluded.
    """
    x = []
    property_dict = OrderedDict()
    exclude = set() if exclude is None else exclude
    for p_name, t in module.named_parameters():
        if p_name not in exclude and t.requires_grad:
            property_dict[p_name] = TorchAttr(shape=t.shape, dtype=t.dtype, device=t.device)
            x.append(t.detach().view(-1).numpy())  # error: [DL107]
    return np.concatenate(x), property_dict


def set_params_with_array(module: Module, x: np.ndarray, property_dict: Dict[str, TorchAttr]) -> Module:
    r"""Set module parameters with values from numpy array."""
    param_dict = OrderedDict(module.named_parameters())
    start_idx = 0
    for p_name, attrs in property_dict.items():
        end_idx = start_idx + attrs.shape.numel()
        new_data = torch.tensor(x[start_idx:end_idx], dtype=attrs.dtype, device=attrs.device)
        param_dict[p_name].detach().copy_(new_data.view(*attrs.shape))
        start_idx = end_idx
    return module
