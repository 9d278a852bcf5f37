"""Lightning's `Trainer`: training, validation, a checkpoint, testing and prediction of an autoencoder."""

from __future__ import annotations

import lightning
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Autoencoder(lightning.LightningModule):
    """Twenty numbers through four."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4))
        self.decoder = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 20))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.encoder(x)

    def loss(self, batch: list[torch.Tensor]) -> torch.Tensor:
        (x,) = batch
        return F.mse_loss(self.decoder(self(x)), x)

    def training_step(self, batch: list[torch.Tensor], _number: int) -> torch.Tensor:
        loss = self.loss(batch)
        self.log("loss", loss, on_epoch=True)
        return loss

    def validation_step(self, batch: list[torch.Tensor], _number: int) -> None:
        self.log("validated", self.loss(batch))

    def test_step(self, batch: list[torch.Tensor], _number: int) -> None:
        self.log("tested", self.loss(batch))

    def configure_optimizers(self) -> dict[str, object]:
        optimizer = torch.optim.Adam(self.parameters(), lr=0.01)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 1)}


def main() -> None:
    """Fit, test and predict, and print what was logged."""
    lightning.seed_everything(0)
    data = TensorDataset(torch.randn(64, 20))
    model = Autoencoder()
    trainer = lightning.Trainer(
        accelerator="cuda" if torch.cuda.is_available() else "cpu",
        devices=1,
        max_epochs=2,
        gradient_clip_val=1.0,
        accumulate_grad_batches=2,
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(model, DataLoader(data, 8, shuffle=True), DataLoader(data, 8))
    print({name: round(value.item(), 6) for name, value in sorted(trainer.callback_metrics.items())})
    print(trainer.test(model, DataLoader(data, 8), ckpt_path="best", verbose=False))
    codes = torch.cat(trainer.predict(model, DataLoader(data.tensors[0], 8)))
    print(f"codes: {tuple(codes.shape)}, {codes.abs().mean().item():.6f}")


if __name__ == "__main__":
    main()
