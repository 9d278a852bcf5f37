import logging

import torch
import torch.nn.functional as F
import tqdm
from torch.utils.data import DataLoader


class SceneRunner:
    """Optimizes a radiance field against the images of a scene."""

    def __init__(self, config, model, dataset, writer, device: str | torch.device):
        self.config = config
        self.device = torch.device(device)
        self.model = model.to(self.device)
        self.dataset = dataset
        self.writer = writer
        self.logger = logging.getLogger(f"{self.__class__.__module__}.{self.__class__.__name__}")
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=config.learning_rate, fused=True)

    def loss(self, rendered: torch.Tensor, pixels: torch.Tensor) -> torch.Tensor:
        l1loss = F.l1_loss(rendered, pixels)
        return l1loss + self.config.l2_weight * F.mse_loss(rendered, pixels)

    def train(self, start_step: int = 0) -> None:
        loader = DataLoader(self.dataset, batch_size=self.config.batch_size, shuffle=True, num_workers=8)
        pbar = tqdm.tqdm(range(start_step, self.config.max_steps), unit="imgs", desc="Training")
        global_step = start_step
        for epoch in range(self.config.max_epochs):
            for minibatch in loader:
                cameras = minibatch["projection"].to(self.device, non_blocking=True)
                pixels = minibatch["image"].to(self.device, non_blocking=True) / 255.0

                self.optimizer.zero_grad(set_to_none=True)
                rendered = self.model(cameras)
                loss = self.loss(rendered, pixels)
                loss.backward()
                self.optimizer.step()

                if global_step % self.config.log_every == 0:
                    loss_value = loss.item()
                    pbar.set_description(f"loss={loss_value:.3f}| epoch={epoch}")
                    self.writer.add_scalar("train/loss", loss_value, global_step)
                pbar.update(1)
                global_step += 1
        self.logger.info("Training completed.")
