from typing import Union

import torch
from torch import Tensor
from torchmetrics import Metric


class RunningAverage(Metric):
    """Aggregate a stream of values into their weighted mean value.

    Args:
        nan_strategy: what to do with values that are nan, ``"ignore"`` or ``"zero"``.
        kwargs: Additional keyword arguments, see :ref:`Metric kwargs` for more info.
    """

    full_state_update = False
    mean_value: Tensor
    weight: Tensor

    def __init__(self, nan_strategy: str = "ignore", **kwargs):
        super().__init__(**kwargs)
        if nan_strategy not in ("ignore", "zero"):
            raise ValueError(f"Arg `nan_strategy` should be 'ignore' or 'zero' but got {nan_strategy}.")
        self.nan_strategy = nan_strategy
        self.add_state("mean_value", default=torch.tensor(0.0), dist_reduce_fx="sum")
        self.add_state("weight", default=torch.tensor(0.0), dist_reduce_fx="sum")

    def _to_tensor(self, value: Union[float, Tensor]) -> Tensor:
        if not isinstance(value, Tensor):
            value = torch.full((), value, dtype=torch.float32, device=self.device)
        return value.float()

    def update(self, value: Union[float, Tensor], weight: Union[float, Tensor] = 1.0) -> None:
        """Update state with data.

        Args:
            value: Either a float or tensor containing data.
            weight: Either a float or tensor containing weights for the average.
        """
        value = self._to_tensor(value)
        weight = torch.broadcast_to(self._to_tensor(weight), value.shape)
        nans = torch.isnan(value)
        value = value.masked_fill(nans, 0.0)
        if self.nan_strategy == "ignore":
            weight = weight.masked_fill(nans, 0.0)
        self.mean_value += (value * weight).sum()
        self.weight += weight.sum()

    def compute(self) -> Tensor:
        """Compute the aggregated value."""
        return self.mean_value / self.weight
