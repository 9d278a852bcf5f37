import os
from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


@dataclass
class Job:
    epochs: int
    save_every: int
    snapshot: str = "snapshot.pt"
    grad_clip: Optional[float] = 1.0


class ElasticTrainer:
    """Trains under torchrun and picks up where a killed job left off."""

    def __init__(self, job: Job, model: nn.Module, optimizer: torch.optim.Optimizer, loader: DataLoader) -> None:
        self.job = job
        self.local_rank = int(os.environ["LOCAL_RANK"])
        self.global_rank = int(os.environ["RANK"])
        self.raw_model = model.to(self.local_rank)
        self.optimizer = optimizer
        self.loader = loader
        self.first_epoch = 0
        self.resume()
        self.model = DistributedDataParallel(self.raw_model, device_ids=[self.local_rank])

    def resume(self) -> None:
        if not os.path.exists(self.job.snapshot):
            return
        snapshot = torch.load(self.job.snapshot)  # error: [DL402]
        self.raw_model.load_state_dict(snapshot["model"])
        self.optimizer.load_state_dict(snapshot["optimizer"])
        self.first_epoch = snapshot["epoch"] + 1

    def save(self, epoch: int) -> None:
        state = {"model": self.raw_model.state_dict(), "optimizer": self.optimizer.state_dict(), "epoch": epoch}
        torch.save(state, self.job.snapshot)

    def run(self) -> None:
        for epoch in range(self.first_epoch, self.job.epochs):
            self.loader.sampler.set_epoch(epoch)
            for inputs, labels in self.loader:
                inputs = inputs.to(self.local_rank, non_blocking=True)
                labels = labels.to(self.local_rank, non_blocking=True)
                loss = nn.functional.cross_entropy(self.model(inputs), labels)
                self.optimizer.zero_grad()
                loss.backward()
                if self.job.grad_clip is not None:
                    nn.utils.clip_grad_norm_(self.raw_model.parameters(), self.job.grad_clip)
                self.optimizer.step()
            if self.global_rank == 0 and epoch % self.job.save_every == 0:
                self.save(epoch)
