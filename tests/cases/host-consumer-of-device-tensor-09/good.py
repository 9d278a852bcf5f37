"""Index of predictions for a time series model."""
from typing import Dict, List, Tuple

import pandas as pd
import torch
from torch import nn


class Forecaster(nn.Module):
    """Feed-forward forecaster over windows of several series.

    Args:
        encoder_length: length of the window
        decoder_length: number of steps to forecast
        group_ids: names of the columns that tell series apart
    """

    def __init__(self, encoder_length: int, decoder_length: int, group_ids: List[str]):
        super().__init__()
        self.group_ids = group_ids
        self.net = nn.Sequential(nn.Linear(encoder_length, 64), nn.ReLU(), nn.Linear(64, decoder_length))

    def forward(self, x: Dict[str, torch.Tensor]) -> torch.Tensor:
        return self.net(x["encoder_target"])

    def x_to_index(self, x: Dict[str, torch.Tensor]) -> pd.DataFrame:
        """One row per prediction: the first time step, and the series it belongs to."""
        groups = x["groups"]
        index = pd.DataFrame(index=range(groups.shape[0]))
        index["time_idx"] = x["decoder_time_idx"][:, 0].cpu()
        for position, name in enumerate(self.group_ids):
            index[name] = groups[:, position].cpu()  # also: [DL205]
        return index

    @torch.no_grad()
    def predict(self, batch: Dict[str, torch.Tensor], device: torch.device) -> Tuple[torch.Tensor, pd.DataFrame]:
        """Forecasts of one batch and the index that belongs to them."""
        self.to(device)
        self.eval()
        x = {name: value.to(device) for name, value in batch.items()}
        return self(x), self.x_to_index(x)
