from typing import Tuple

import torch
import torch.nn.functional as F
from torch import Tensor


def _capacity(num_tokens: int, num_experts: int, capacity_factor: float, min_capacity: int) -> int:
    capacity = int(num_tokens / num_experts * capacity_factor)
    return max(capacity, min_capacity)


def top1gating(
    logits: Tensor,
    capacity_factor: float,
    min_capacity: int,
    drop_tokens: bool = True,
    pad_multiple: int = 8,
) -> Tuple[Tensor, Tensor, Tensor]:
    """Implements Top1Gating on logits."""
    gates = F.softmax(logits, dim=1)
    num_experts = int(gates.shape[1])

    indices1_s = torch.argmax(gates, dim=1)
    mask1 = F.one_hot(indices1_s, num_classes=num_experts)
    exp_counts = torch.sum(mask1, dim=0)

    locations1 = torch.cumsum(mask1, dim=0) - 1
    if drop_tokens:
        capacity = _capacity(gates.shape[0], num_experts, capacity_factor, min_capacity)
        mask1 = mask1 * torch.lt(locations1, capacity)
    else:
        new_capacity = torch.max(exp_counts)
        new_capacity = torch.ceil(new_capacity / pad_multiple).mul(pad_multiple).to(exp_counts.dtype)
        # no expert can be sent more tokens than there are
        capacity = min(new_capacity, torch.tensor(mask1.size(0)))  # error: [DL102]
        locations1 = torch.clamp(locations1, max=capacity)

    # load balancing loss
    me = torch.mean(gates, dim=0)
    ce = torch.mean(mask1.float(), dim=0)
    l_aux = torch.sum(me * ce) * num_experts

    locations1_s = torch.sum(locations1 * mask1, dim=1)
    return l_aux, locations1_s, exp_counts
