"""Augmentations that change the values of pixels."""

from typing import Tuple

from torch import Tensor, nn

from .sampling import uniform_parameters


class RandomBrightness(nn.Module):
    r"""Shifts the brightness of each image of a batch.

    Args:
        shift: bounds of the shift.
        p: how likely an image is to be shifted.

    Shape:
        - Input: :math:`(B, C, H, W)`
        - Output: :math:`(B, C, H, W)`
    """

    def __init__(self, shift: Tuple[float, float] = (-0.2, 0.2), p: float = 0.5) -> None:
        super().__init__()
        self.shift = shift
        self.p = p

    def forward(self, images: Tensor) -> Tensor:
        params = uniform_parameters(images.shape[0], self.shift, self.p)
        shift = (params["factor"] * params["applied"]).to(images.device).view(-1, 1, 1, 1)
        return (images + shift).clamp(0.0, 1.0)
