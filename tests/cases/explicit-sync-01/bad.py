from collections import OrderedDict
from typing import Dict, List, Optional

import torch
from torch import nn


def set_module_tensor(module: nn.Module, name: str, value: torch.Tensor) -> None:
    """Replace the parameter or buffer called `name` (dots and all) by `value`."""
    *path, leaf = name.split(".")
    owner = module.get_submodule(".".join(path))
    if leaf in owner._buffers:
        owner._buffers[leaf] = value
    else:
        requires_grad = owner._parameters[leaf].requires_grad
        owner._parameters[leaf] = nn.Parameter(value, requires_grad=requires_grad and value.is_floating_point())


def load_model_dict_into_meta(
    model: nn.Module,
    state_dict: "OrderedDict[str, torch.Tensor]",
    dtype: Optional[torch.dtype] = None,
    device_map: Optional[Dict[str, torch.device]] = None,
    keep_in_fp32_modules: Optional[List[str]] = None,
) -> List[str]:
    """Move the tensors of `state_dict` to their devices and put them into a model made on the meta device."""
    device_map = device_map or {"": torch.device("cpu")}
    keep_in_fp32_modules = keep_in_fp32_modules or []
    empty_state_dict = model.state_dict()
    unexpected_keys = [name for name in state_dict if name not in empty_state_dict]

    for param_name, param in state_dict.items():
        if param_name in unexpected_keys:
            continue

        target_dtype = dtype
        if any(module_name in param_name.split(".") for module_name in keep_in_fp32_modules):
            target_dtype = torch.float32
        if target_dtype is not None and torch.is_floating_point(param):
            param = param.to(target_dtype)

        prefix = max((p for p in device_map if param_name.startswith(p)), key=len)
        param_device = device_map[prefix]
        param = param.to(param_device, non_blocking=True)
        if param_device.type == "cuda":
            torch.cuda.synchronize()  # error: [DL206]
        set_module_tensor(model, param_name, param)

    return unexpected_keys
