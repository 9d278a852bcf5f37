"""Models of timm: a training step with mixing, soft targets, a schedule and an averaged copy."""

from __future__ import annotations

import timm
import torch
from timm.data import Mixup
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import ModelEmaV3, accuracy

MODELS = {
    "resnet10t": {},
    "mobilenetv3_small_050": {},
    "efficientnet_lite0": {},
    "convnext_atto": {},
    "vit_tiny_patch16_224": {"img_size": 64, "depth": 2},
    "swin_tiny_patch4_window7_224": {"img_size": 56, "depths": (1, 1, 1, 1)},
    "mixer_s32_224": {"img_size": 64},
}
CLASSES = 10
STEPS = 2


def main() -> None:
    """Train and evaluate each model, and print losses."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for name, options in MODELS.items():
        model = timm.create_model(name, num_classes=CLASSES, **options).to(device)
        size = options.get("img_size", 64)
        optimizer = create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.05)
        schedule = CosineLRScheduler(optimizer, t_initial=STEPS)
        average = ModelEmaV3(model, decay=0.9)
        mix = Mixup(mixup_alpha=0.2, cutmix_alpha=1.0, num_classes=CLASSES)
        criterion = SoftTargetCrossEntropy().to(device)
        for step in range(STEPS):
            images = torch.randn(4, 3, size, size).to(device, non_blocking=True)
            labels = torch.randint(0, CLASSES, (4,)).to(device, non_blocking=True)
            mixed, targets = mix(images.clone(), labels)
            loss = criterion(model(mixed), targets)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step(step + 1)
            average.update(model, step=step)
            print(f"{name} step {step}: loss {loss.item():.5f}")
        model.eval()
        with torch.no_grad():
            (top,) = accuracy(average.module(images), labels)
            print(f"{name}: top-1 {top.item():.2f}, mean output {model(images).mean().item():.5f}")


if __name__ == "__main__":
    main()
