"""Models of vit-pytorch: two training steps of each, and pictures of several sizes in one batch."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from vit_pytorch import SimpleViT, ViT
from vit_pytorch.cait import CaiT
from vit_pytorch.crossformer import CrossFormer
from vit_pytorch.max_vit import MaxViT
from vit_pytorch.na_vit import NaViT

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
SHAPE = {
    "image_size": 32,
    "patch_size": 8,
    "num_classes": 10,
    "dim": 32,
    "depth": 2,
    "heads": 2,
    "mlp_dim": 48,
}


def train(name: str, model: torch.nn.Module, images: object) -> None:
    """Two steps, with the loss of each."""
    model = model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    labels = torch.tensor([1, 7], device=device)
    for number in range(2):
        loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{name} step {number}: loss {loss.item():.6f}")


def main() -> None:
    """All of them."""
    images = torch.randn(2, 3, 32, 32).to(device)
    large = torch.randn(2, 3, 224, 224).to(device)
    train("ViT", ViT(**SHAPE, dropout=0.1, emb_dropout=0.1), images)
    train("SimpleViT", SimpleViT(**SHAPE), images)
    train("CaiT", CaiT(**SHAPE, cls_depth=1, layer_dropout=0.05), images)
    train("CrossFormer", CrossFormer(dim=(32, 32, 64, 64), depth=(1, 1, 1, 1), num_classes=10), large)
    train(
        "MaxViT",
        MaxViT(num_classes=10, dim_conv_stem=16, dim=16, dim_head=8, depth=(1, 1), window_size=4),
        images,
    )
    ragged = [[torch.randn(3, 32, 16).to(device), torch.randn(3, 16, 16).to(device)], [images[0]]]
    navit = NaViT(**SHAPE, token_dropout_prob=0.1).to(device)
    print(f"NaViT: {navit(ragged).sum().item():.5f}")


if __name__ == "__main__":
    main()
