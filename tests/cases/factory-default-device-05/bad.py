import os
from typing import Dict, List, Optional

import torch
from torch import Tensor


class TopKCheckpoint:
    """Keeps the ``k`` best checkpoints according to a monitored quantity."""

    def __init__(self, dirpath: str, monitor: str = "val_loss", save_top_k: int = 3, mode: str = "min") -> None:
        if mode not in ("min", "max"):
            raise ValueError(f"`mode` can be min or max, got {mode}")
        self.dirpath = dirpath
        self.monitor = monitor
        self.save_top_k = save_top_k
        self.mode = mode
        self.scores: Optional[Tensor] = None
        self.paths: List[str] = []

    def on_validation_end(self, trainer, model) -> None:
        metrics: Dict[str, Tensor] = trainer.callback_metrics
        if self.monitor not in metrics:
            return
        path = os.path.join(self.dirpath, f"step-{trainer.global_step}.ckpt")
        current = metrics[self.monitor]
        if self.scores is None:
            self.scores = current.unsqueeze(0)
        else:
            self.scores = self._ranked(current, self.scores)
        self.paths.append(path)
        trainer.save_checkpoint(path)

    def _ranked(self, current: Tensor, scores: Tensor) -> Tensor:
        """Scores with the newest one in its place, best first."""
        if torch.isnan(current):
            current = torch.tensor(float("inf" if self.mode == "min" else "-inf"))  # error: [DL102]
        merged = torch.cat((scores, current.unsqueeze(0)))
        k = min(self.save_top_k, merged.numel())
        return torch.topk(merged, k, largest=self.mode == "max").values
