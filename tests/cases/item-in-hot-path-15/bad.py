from collections.abc import Callable

import torch
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm


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
                self.tensorboard.add_scalar("loss/train_step", accumulated_loss.item(), global_step)  # error: [DL201]
                accumulated_loss.zero_()
                global_step += 1
