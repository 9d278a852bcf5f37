from typing import Callable, Tuple

import torch
from torch import Tensor, nn


class DynamicLossScaler:
    """Holds the loss scale and adjusts it after overflows."""

    def __init__(self, initial_scale: float, growth_factor: float, device: torch.device) -> None:
        self.growth_factor = growth_factor
        self._scale = torch.full((1,), initial_scale, dtype=torch.float32, device=device)

    def scale_loss(self, loss: Tensor) -> Tensor:
        return loss * self._scale

    def grow(self) -> None:
        self._scale = self._scale * self.growth_factor


def forward_step(
    model: nn.Module,
    tokens: Tensor,
    labels: Tensor,
    loss_func: Callable[[Tensor, Tensor], Tensor],
    scaler: DynamicLossScaler,
    num_microbatches: int,
) -> Tuple[Tensor, Tensor]:
    """Forward step of one microbatch of a mixture-of-experts model.

    Returns the scaled loss and the scaled auxiliary loss of the router.
    """
    output, aux_loss = model(tokens)
    loss = loss_func(output, labels) / num_microbatches

    aux_scale = scaler.scale_loss(torch.tensor([1.0]))  # error: [DL102]
    aux_loss = aux_scale * aux_loss / num_microbatches

    return scaler.scale_loss(loss), aux_loss
