import torch
from deepspeed.accelerator import get_accelerator
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors


class OffloadedOptimizer:
    """Keeps fp32 master weights and their optimizer on the host, one flat partition for each group.

    Args:
        init_optimizer (torch.optim.Optimizer): the optimizer whose groups are taken over.
        clip_grad (float): largest norm of a gradient partition, 0 for none.
    """

    def __init__(self, init_optimizer, clip_grad=0.0):
        self.optimizer = init_optimizer
        self.clip_grad = clip_grad
        self.bit16_groups = []
        self.bit16_groups_flat = []
        self.single_partition_of_fp32_groups = []

        for param_group in self.optimizer.param_groups:
            params = [p for p in param_group["params"] if p.requires_grad]
            flat = _flatten_dense_tensors([p.detach() for p in params])
            self.bit16_groups.append(params)
            self.bit16_groups_flat.append(flat)

            weights_partition = flat.float().to("cpu")
            weights_partition = get_accelerator().pin_memory(weights_partition)
            weights_partition.requires_grad = True
            self.single_partition_of_fp32_groups.append(weights_partition)
            param_group["params"] = [weights_partition]

    def zero_grad(self, set_to_none=True):
        for params in self.bit16_groups:
            for p in params:
                p.grad = None if set_to_none else torch.zeros_like(p)

    def set_host_gradients(self, i, flat_gradient):
        """Takes over the averaged gradient of one group; `flat_gradient` lies on the host."""
        if self.clip_grad > 0.0:
            flat_gradient.clamp_(-self.clip_grad, self.clip_grad)
        self.single_partition_of_fp32_groups[i].grad = flat_gradient

    @torch.no_grad()
    def step(self):
        self.optimizer.step()
        groups = zip(self.bit16_groups, self.bit16_groups_flat, self.single_partition_of_fp32_groups)
        for params, bit16_flat, fp32_partition in groups:
            bit16_flat.copy_(fp32_partition, non_blocking=True)
            for p, updated in zip(params, _unflatten_dense_tensors(bit16_flat, params)):
                p.data = updated.data
        return get_accelerator().current_device_name()
