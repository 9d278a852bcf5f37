"""What a training run adds up between two reports."""

import torch


class LossMeter:
    """Mean of the losses since the last report; kept on a device, so that no step waits for it.

    Args:
        device: where the sum is kept.
    """

    def __init__(self, device: torch.device) -> None:
        self.total = torch.zeros((), device=device)
        self.steps = 0

    def add(self, loss: torch.Tensor) -> None:
        self.total += loss
        self.steps += 1

    def report(self) -> float:
        mean = self.total / max(self.steps, 1)
        self.total = torch.zeros_like(self.total)
        self.steps = 0
        return mean.item()
