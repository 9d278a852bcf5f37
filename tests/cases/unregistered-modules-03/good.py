"""Forecasting model with a list of metrics."""
from __future__ import annotations

import torch
from torch import nn


class QuantileError(nn.Module):
    """Pinball loss of several quantiles."""

    def __init__(self, quantiles: list[float]) -> None:
        super().__init__()
        self.register_buffer("quantiles", torch.tensor(quantiles))

    def forward(self, y_pred: torch.Tensor, y_actual: torch.Tensor) -> torch.Tensor:
        errors = y_actual.unsqueeze(-1) - y_pred
        return torch.max((self.quantiles - 1) * errors, self.quantiles * errors).mean()


class ForecastModel(nn.Module):
    """
    Maps a window of the past to quantiles of the future.

    Parameters
    ----------
    context_length : int
        Length of the window.
    prediction_length : int
        Number of steps to forecast.
    quantiles : list of float
        Quantiles of the output.
    logging_metrics : list of QuantileError, optional
        Metrics that are evaluated beside the loss.
    """

    def __init__(
        self,
        context_length: int,
        prediction_length: int,
        quantiles: list[float],
        logging_metrics: list[QuantileError] | None = None,
    ) -> None:
        super().__init__()
        self.prediction_length = prediction_length
        self.network = nn.Linear(context_length, prediction_length * len(quantiles))
        self.loss = QuantileError(quantiles)
        self.logging_metrics = nn.ModuleList(logging_metrics or [])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.network(x).unflatten(-1, (self.prediction_length, -1))

    def evaluate_metrics(self, x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
        y_pred = self(x)
        return [metric(y_pred, y) for metric in self.logging_metrics]
