"""Moving activations between the ranks of a sequence-parallel group."""

import torch
import torch.distributed as dist


class _GatherSequence(torch.autograd.Function):
    """Concatenates the shards of all ranks along the first dimension; the gradient is summed and sharded again."""

    @staticmethod
    def forward(ctx, shard, group):
        ctx.group = group
        size = dist.get_world_size(group=group)
        whole = torch.empty((size * shard.shape[0], *shard.shape[1:]), dtype=shard.dtype, device=shard.device)
        dist.all_gather_into_tensor(whole, shard.contiguous(), group=group)
        return whole

    @staticmethod
    def backward(ctx, grad):
        size = dist.get_world_size(group=ctx.group)
        rows, remainder = divmod(grad.shape[0], size)
        if remainder:
            raise ValueError(f"{grad.shape[0]} rows cannot be shared among {size} ranks")
        shard = torch.empty((rows, *grad.shape[1:]), dtype=grad.dtype, device=grad.device)
        dist.reduce_scatter_tensor(shard, grad.contiguous(), group=ctx.group)
        return shard, None


def gather_sequence(shard, group):
    if dist.get_world_size(group=group) == 1:
        return shard
    return _GatherSequence.apply(shard, group)


class SequenceParallelLinear(torch.nn.Module):
    """A linear layer whose input is sharded along the sequence and whose output is sharded along the features."""

    def __init__(self, in_features, out_features, group):
        super().__init__()
        self.group = group
        self.linear = torch.nn.Linear(in_features, out_features // dist.get_world_size(group=group))

    def forward(self, shard):
        return self.linear(gather_sequence(shard, self.group))
