"""Models of denoising-diffusion-pytorch: losses, training steps and samples."""

from __future__ import annotations

import torch
from denoising_diffusion_pytorch import GaussianDiffusion, GaussianDiffusion1D, Unet, Unet1D

device = "cuda" if torch.cuda.is_available() else "cpu"


def train(diffusion: torch.nn.Module, *shape: int) -> None:
    """Two training steps and a sample."""
    diffusion = diffusion.to(device)
    optimizer = torch.optim.Adam(diffusion.parameters(), lr=1e-3)
    name = type(diffusion).__name__
    for step in range(2):
        loss = diffusion(torch.rand(*shape).to(device))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"{name} step {step}: {loss.item():.6f}")
    sample = diffusion.sample(batch_size=2)
    print(f"{name} sample: {tuple(sample.shape)}, mean {sample.mean().item():.6f}")


unet = Unet(dim=8, dim_mults=(1, 2), flash_attn=False)
train(GaussianDiffusion(unet, image_size=16, timesteps=20), 2, 3, 16, 16)
unet = Unet(dim=8, dim_mults=(1, 2), flash_attn=False)
train(
    GaussianDiffusion(unet, image_size=16, timesteps=20, sampling_timesteps=5, objective="pred_noise"),
    2,
    3,
    16,
    16,
)
train(GaussianDiffusion1D(Unet1D(dim=8, dim_mults=(1, 2), channels=4), seq_length=16, timesteps=20), 2, 4, 16)
