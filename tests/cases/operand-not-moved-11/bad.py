from __future__ import annotations

from typing import Dict

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset


class RadianceField(nn.Module):
    """Colour and density from positions and directions."""

    def __init__(self, hidden_dim: int = 64) -> None:
        super().__init__()
        self.mlp = nn.Sequential(
            nn.Linear(6, hidden_dim),
            nn.ReLU(),
            nn.Linear(hidden_dim, hidden_dim),
            nn.ReLU(),
            nn.Linear(hidden_dim, 4),
        )

    def forward(self, rays: Tensor) -> Dict[str, Tensor]:
        outputs = self.mlp(rays)
        return {"rgb": torch.sigmoid(outputs[..., :3]), "density": torch.relu(outputs[..., 3:])}


class Trainer:
    """Fits a field to posed images."""

    def __init__(self, dataset: Dataset, device: torch.device, batch_size: int = 4096) -> None:
        self.device = device
        self.model = RadianceField().to(self.device)
        self.loader = DataLoader(
            dataset, batch_size=batch_size, shuffle=True, pin_memory=device.type == "cuda"
        )
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=5e-4)
        self.rgb_loss = nn.MSELoss()

    def train_epoch(self) -> Tensor:
        """One pass over the rays; the mean loss."""
        total = torch.zeros((), device=self.device)
        for batch in self.loader:
            rays = batch["rays"].to(self.device, non_blocking=True)
            outputs = self.model(rays)
            loss = self.rgb_loss(outputs["rgb"], batch["image"])  # error: [DL101|DL106]
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.detach()
        return total / len(self.loader)
