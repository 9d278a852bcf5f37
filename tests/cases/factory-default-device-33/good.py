from typing import Tuple

import torch
from torch import Tensor


def group_offsets(counts: Tensor) -> Tensor:
    """Where each group begins in a flat list, from the sizes of the groups."""
    csum = counts.cumsum(0)
    return torch.cat((torch.tensor([0], dtype=csum.dtype, device=csum.device), csum[:-1]))


def group_sum_and_cumsum(scores: Tensor, group_ids: Tensor, num_groups: int) -> Tuple[Tensor, Tensor]:
    """Sums of scores over groups, and running sums that begin anew in each group.

    Args:
        scores: scores in the order of their groups, with shape :math:`(N,)`.
        group_ids: group of each score, ascending, with shape :math:`(N,)`.
        num_groups: number of groups.

    Returns:
        sums with shape :math:`(G,)` and running sums with shape :math:`(N,)`.
    """
    zeros = torch.zeros(num_groups, dtype=scores.dtype, device=scores.device)
    sums = zeros.index_add(0, group_ids, scores)
    counts = torch.zeros(num_groups, dtype=torch.long, device=group_ids.device)
    counts = counts.index_add(0, group_ids, torch.ones_like(group_ids))

    first = group_offsets(counts)
    running = scores.cumsum(0)
    before = running[first] - scores[first]
    return sums, running - before[group_ids]
