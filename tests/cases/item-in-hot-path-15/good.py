from collections.abc import Callable

import torch
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm


class DelayedScalar:
    """Gives the value of a device scalar one step late, so that the host never waits for it."""

    def __init__(self, device: torch.device):
        self.host = torch.zeros((), pin_memory=device.type == "cuda")
        self.copied = torch.Event(device) if device.type == "cuda" else None
        self.pending = False

    def exchange(self, value: torch.Tensor) -> float | None:
        arrived = self.pending and (self.copied is None or self.copied.query())
        previous = self.host.item() if arrived else None
        self.host.copy_(value, non_blocking=True)
        if self.copied is not None:
            self.copied.record()
        self.pending = True
        return previous


class GenericTrainer:
    def __init__(self, config, model: torch.nn.Module, loss_fn: Callable, tensorboard: SummaryWriter):
        self.config = config
        self.train_device = torch.device(config.train_device)
        self.model = model.to(self.train_device)
        self.loss_fn = loss_fn
        self.tensorboard = tensorboard
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=config.learning_rate)

    def __is_update_step(self, micro_step: int) -> bool:
        return (micro_step + 1) % self.config.gradient_accumulation_steps == 0

    def train(self, data_loader: DataLoader):
        self.model.train()
        accumulated_loss = torch.zeros((), device=self.train_device)
        delayed_loss = DelayedScalar(self.train_device)
        global_step = 0

        for micro_step, batch in enumerate(tqdm(data_loader, desc="step")):
            latents = batch["latents"].to(self.train_device, non_blocking=True)
            conditioning = batch["conditioning"].to(self.train_device, non_blocking=True)

            loss = self.loss_fn(self.model(latents, conditioning), latents)
            loss = loss / self.config.gradient_accumulation_steps
            loss.backward()
            accumulated_loss += loss.detach()

            if self.__is_update_step(micro_step):
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip_grad_norm)
                self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=True)
                previous_loss = delayed_loss.exchange(accumulated_loss)
                if previous_loss is not None:
                    self.tensorboard.add_scalar("loss/train_step", previous_loss, global_step - 1)
                accumulated_loss.zero_()
                global_step += 1
