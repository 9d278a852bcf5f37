from typing import Any, Dict, Mapping

import torch
from torch import Tensor


class MetricCollector:
    """Keeps the running sums of logged values and hands them to the loggers as Python numbers.

    Args:
        prefix: Put in front of each name that is logged.
    """

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self._sums: Dict[str, Tensor] = {}
        self._counts: Dict[str, int] = {}

    def update(self, name: str, value: Tensor, batch_size: int = 1) -> None:
        value = value.detach() * batch_size
        self._sums[name] = self._sums[name] + value if name in self._sums else value
        self._counts[name] = self._counts.get(name, 0) + batch_size

    def reset(self) -> None:
        self._sums.clear()
        self._counts.clear()

    def averages(self) -> Dict[str, Tensor]:
        return {name: total / self._counts[name] for name, total in self._sums.items()}


def metrics_to_scalars(metrics: Mapping[str, Tensor]) -> Dict[str, float]:
    """Moves a collection of one-element tensors to the host and converts them."""
    names = list(metrics)
    stacked = torch.stack([metrics[name].float().reshape(()) for name in names])
    host = stacked.cpu()
    return dict(zip(names, host.tolist()))


class LoggerConnector:
    def __init__(self, loggers: Any) -> None:
        self.loggers = loggers
        self.collector = MetricCollector()

    def on_epoch_end(self, step: int) -> Dict[str, float]:
        averages = self.collector.averages()
        scalars = metrics_to_scalars(averages) if averages else {}
        for logger in self.loggers:
            logger.log_metrics(scalars, step=step)
        self.collector.reset()
        return scalars
