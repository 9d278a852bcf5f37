from typing import Dict, List, Union

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LoggingModule(nn.Module):
    """A module that remembers what its steps log until the end of the epoch."""

    def __init__(self) -> None:
        super().__init__()
        self._results: Dict[str, List[Tensor]] = {}

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def log(self, name: str, value: Union[Tensor, float]) -> None:
        """Log a key, value pair.

        Args:
            name: key to log
            value: value to log, a single number or a tensor of one element
        """
        self._results.setdefault(name, []).append(self.__to_tensor(value, name))

    def __to_tensor(self, value: Union[Tensor, float], name: str) -> Tensor:
        if not isinstance(value, Tensor):
            value = torch.tensor(value, dtype=torch.float32)
        value = value.clone().detach().to(self.device)  # error: [DL306|DL303|DL308]
        if value.numel() != 1:
            raise ValueError(f"`self.log({name}, {value.shape})` was called, but the tensor must have a single element.")
        return value.squeeze()

    def on_train_epoch_end(self) -> Dict[str, Tensor]:
        averages = {name: torch.stack(values).mean() for name, values in self._results.items()}
        self._results.clear()
        return averages


class Classifier(LoggingModule):
    def __init__(self, in_features: int, num_classes: int) -> None:
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(in_features, 128), nn.ReLU())
        self.head = nn.Linear(128, num_classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.backbone(x))

    def training_step(self, batch, batch_idx: int) -> Tensor:
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss)
        self.log("batch_size", float(x.shape[0]))
        return loss
