from enum import Enum

import torch
from deepspeed import comm as dist
from deepspeed.accelerator import get_accelerator


class PartitionStatus(Enum):
    AVAILABLE = 1
    NOT_AVAILABLE = 2


class PartitionedParameters:
    """Keeps one flat partition of each parameter on this rank and frees the rest."""

    def __init__(self, module, dp_process_group=None, dtype=torch.float16):
        self.group = dp_process_group
        self.world_size = dist.get_world_size(group=dp_process_group)
        self.rank = dist.get_rank(group=dp_process_group)
        self.local_device = get_accelerator().device_name(get_accelerator().current_device())
        self.dtype = dtype
        module.to(self.local_device)
        for param in module.parameters(recurse=True):
            self._partition(param)

    def _partition_numel(self, param):
        return (param.numel() + self.world_size - 1) // self.world_size

    def _partition(self, param):
        """Copies this rank's share of `param` and releases its storage."""
        size = self._partition_numel(param)
        start = size * self.rank
        flat = param.data.view(-1)
        param.ds_shape = param.shape
        param.ds_tensor = flat.narrow(0, start, min(size, flat.numel() - start)).detach().clone()
        param.data = torch.randn(1, dtype=self.dtype, device="cuda")  # error: [DL401]
        param.ds_status = PartitionStatus.NOT_AVAILABLE

    def all_gather(self, param):
        size = self._partition_numel(param)
        flat = torch.empty(size * self.world_size, dtype=param.ds_tensor.dtype, device=self.local_device)
        dist.all_gather_into_tensor(flat, param.ds_tensor, group=self.group)
        param.data = flat.narrow(0, 0, param.ds_shape.numel()).view(param.ds_shape)
        param.ds_status = PartitionStatus.AVAILABLE
        return param
