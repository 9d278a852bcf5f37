from typing import Iterable, List, Union

import torch
from torch import Tensor


def _gradients(parameters: Union[Tensor, Iterable[Tensor]]) -> List[Tensor]:
    if isinstance(parameters, Tensor):
        parameters = [parameters]
    return [p.grad.detach() for p in parameters if p.grad is not None]


def global_norm(tensors: List[Tensor], norm_type: float = 2.0) -> Tensor:
    r"""Norm of all entries of several tensors, which may lie on several devices."""
    device = tensors[0].device
    if norm_type == float("inf"):
        largest = [t.abs().max().to(device) for t in tensors]
        return torch.stack(largest).max()
    norms = [t.norm(norm_type).to(device) for t in tensors]
    return torch.stack(norms).norm(norm_type)


def clip_gradients_(
    parameters: Union[Tensor, Iterable[Tensor]],
    max_norm: float,
    norm_type: float = 2.0,
    eps: float = 1e-6,
) -> Tensor:
    r"""Scales gradients in place so that their common norm is at most :attr:`max_norm`.

    Args:
        parameters: the parameter or parameters whose gradients are scaled.
        max_norm: the largest norm that is left alone.
        norm_type: ``p`` of the p-norm, or infinity.
        eps: keeps the division from blowing up for tiny norms.

    Returns:
        The norm before scaling, as a tensor.
    """
    grads = _gradients(parameters)
    if not grads:
        raise ValueError("no parameter has a gradient")

    norm = global_norm(grads, norm_type)

    coefficient = max_norm / (norm + eps)
    coefficient = torch.clamp(coefficient, max=1.0)
    for grad in grads:
        grad.mul_(coefficient.to(grad.device))
    return norm
