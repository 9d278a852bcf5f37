import sys
from functools import partial
from typing import Any, Dict

import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler
from tqdm import tqdm


class FullFinetuneRecipe:
    """
    Full finetuning recipe for dense transformer-based LLMs on a single device.

    Args:
        cfg: the parsed configuration.
    """

    def __init__(self, cfg) -> None:
        self._device = torch.device(cfg.device)
        self._dtype = getattr(torch, cfg.dtype)
        self._log_every_n_steps = cfg.log_every_n_steps if cfg.log_every_n_steps else 1
        self.total_epochs = cfg.epochs
        self.total_training_steps = 0

    def setup(self, cfg, model: nn.Module, dataset, metric_logger, collate_fn) -> None:
        self._metric_logger = metric_logger
        self._model = model.to(self._device, dtype=self._dtype)
        self._optimizer = torch.optim.AdamW(self._model.parameters(), lr=cfg.optimizer.lr)
        self._loss_fn = nn.CrossEntropyLoss(ignore_index=-100)
        self._sampler = DistributedSampler(dataset, num_replicas=1, rank=0, shuffle=cfg.shuffle, seed=0)
        self._dataloader = DataLoader(
            dataset=dataset,
            batch_size=cfg.batch_size,
            sampler=self._sampler,
            collate_fn=partial(collate_fn, ignore_idx=-100),
        )

    def train(self) -> None:
        """The core training loop."""
        for curr_epoch in range(self.total_epochs):
            self._sampler.set_epoch(curr_epoch)
            for batch in (pbar := tqdm(self._dataloader, file=sys.stdout)):
                self._optimizer.zero_grad()
                input_ids, labels = batch
                input_ids = input_ids.to(self._device, non_blocking=True)
                labels = labels.to(self._device, non_blocking=True)

                logits = self._model(input_ids)
                loss = self._loss_fn(logits[..., :-1, :].transpose(1, 2), labels[..., 1:])
                loss.backward()
                self._optimizer.step()

                self.total_training_steps += 1
                pbar.set_description(f"{curr_epoch + 1}|{self.total_training_steps}")
                if self.total_training_steps % self._log_every_n_steps == 0:
                    log_dict: Dict[str, Any] = {"loss": loss.item(), "lr": self._optimizer.param_groups[0]["lr"]}
                    self._metric_logger.log_dict(log_dict, step=self.total_training_steps)
