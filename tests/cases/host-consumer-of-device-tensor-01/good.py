import json
import os
from typing import Any, Dict, Optional

import numpy as np
import torch
from torch import nn


def offload_weight(
    weight: torch.Tensor, weight_name: str, offload_folder: str, index: Optional[Dict[str, Any]] = None
) -> Dict[str, Any]:
    """
    Writes one weight to a memory-mapped file.

    Args:
        weight (`torch.Tensor`): The weight to offload.
        weight_name (`str`): Its name in the model.
        offload_folder (`str`): The folder that takes the file.
        index (`dict`, *optional*): The index of the weights that were written before.
    """
    dtype = None
    if weight.dtype == torch.bfloat16:
        # NumPy has no bfloat16
        weight = weight.view(torch.int16)
        dtype = "bfloat16"
    array = weight.detach().cpu().numpy()
    tensor_file = os.path.join(offload_folder, f"{weight_name}.dat")
    if index is not None:
        index[weight_name] = {"dtype": dtype or str(array.dtype), "shape": list(array.shape)}
    if array.ndim == 0:
        array = array[None]
    file_array = np.memmap(tensor_file, dtype=array.dtype, mode="w+", shape=array.shape)
    file_array[:] = array[:]
    file_array.flush()
    return index


def offload_model(model: nn.Module, offload_folder: str) -> None:
    """Writes all weights of a model, and their index."""
    os.makedirs(offload_folder, exist_ok=True)
    index: Dict[str, Any] = {}
    for name, parameter in model.state_dict().items():
        index = offload_weight(parameter, name, offload_folder, index=index)
    with open(os.path.join(offload_folder, "index.json"), "w", encoding="utf-8") as f:
        json.dump(index, f, indent=2)
