from typing import Optional, Tuple

import torch


def masked_gather(points: torch.Tensor, idx: torch.Tensor) -> torch.Tensor:
    return points.gather(1, idx[:, :, None].expand(-1, -1, points.shape[2]))


def farthest_points(
    points: torch.Tensor,
    lengths: Optional[torch.Tensor] = None,
    K: int = 50,
    random_start_point: bool = False,
) -> Tuple[torch.Tensor, torch.Tensor]:
    """
    Picks points that are far from each other out of each cloud of a padded batch.

    Args:
        points: (N, P, D) the clouds
        lengths: (N,) how many points of each cloud are no padding; all, if not given
        K: how many points are picked
        random_start_point: start with a random point instead of the first one

    Returns:
        (N, K, D) the points picked, and (N, K) their indices.
    """
    N, P, D = points.shape
    device = points.device

    if lengths is None:
        lengths = torch.full((N,), P, dtype=torch.int64, device=device)
    if lengths.shape[0] != N:
        raise ValueError(f"{N} clouds, but {lengths.shape[0]} lengths")

    padding = torch.arange(P, device=device)[None] >= lengths[:, None]
    closest = torch.full((N, P), float("inf"), device=device).masked_fill(padding, -1.0)
    idx = torch.zeros((N, K), dtype=torch.int64, device=device)

    if random_start_point:
        selected = (torch.rand(N, device=device) * lengths).long()
    else:
        selected = torch.zeros(N, dtype=torch.int64, device=device)

    for k in range(K):
        idx[:, k] = selected
        to_selected = (points - masked_gather(points, selected[:, None])).pow(2).sum(-1)
        closest = torch.minimum(closest, to_selected)
        selected = closest.argmax(dim=1)

    return masked_gather(points, idx), idx
