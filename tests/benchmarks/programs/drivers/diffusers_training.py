"""A tiny diffusion model of diffusers: training steps, then pictures by three schedulers."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from diffusers import (
    AutoencoderKL,
    DDIMScheduler,
    DDPMPipeline,
    DDPMScheduler,
    EulerDiscreteScheduler,
    UNet2DConditionModel,
    UNet2DModel,
)
from diffusers.training_utils import EMAModel

SIZE = 16


def train_and_sample(device: torch.device) -> None:
    """Pictures from noise."""
    model = UNet2DModel(
        sample_size=SIZE,
        block_out_channels=(16, 32),
        layers_per_block=1,
        norm_num_groups=8,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "UpBlock2D"),
    ).to(device)
    scheduler = DDPMScheduler(num_train_timesteps=100)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    average = EMAModel(model.parameters())
    for step in range(3):
        clean = torch.randn(2, 3, SIZE, SIZE).to(device)
        noise = torch.randn_like(clean)
        times = torch.randint(0, 100, (2,), device=device)
        predicted = model(scheduler.add_noise(clean, noise, times), times).sample
        loss = F.mse_loss(predicted, noise)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        average.step(model.parameters())
        print(f"step {step}: loss {loss.item():.6f}")
    average.copy_to(model.parameters())
    for kind in (DDPMScheduler, DDIMScheduler, EulerDiscreteScheduler):
        pipeline = DDPMPipeline(unet=model, scheduler=kind(num_train_timesteps=100))
        pipeline.set_progress_bar_config(disable=True)
        if kind is DDPMScheduler:
            generator = torch.Generator(device=device).manual_seed(0)
            pictures = pipeline(2, generator=generator, num_inference_steps=4, output_type="np").images
            print(f"{kind.__name__}: {pictures.mean():.6f} {pictures.std():.6f}")
            continue
        scheduler = pipeline.scheduler
        scheduler.set_timesteps(4, device=device)
        sample = torch.randn(2, 3, SIZE, SIZE, device=device) * scheduler.init_noise_sigma
        with torch.no_grad():
            for time in scheduler.timesteps:
                predicted = model(scheduler.scale_model_input(sample, time), time).sample
                sample = scheduler.step(predicted, time, sample).prev_sample
        print(f"{kind.__name__}: {sample.mean().item():.6f} {sample.std().item():.6f}")


def latent(device: torch.device) -> None:
    """A conditioned step in the latent space of an autoencoder."""
    coder = AutoencoderKL(block_out_channels=(16,), norm_num_groups=8, latent_channels=4).to(device)
    model = UNet2DConditionModel(
        sample_size=SIZE,
        block_out_channels=(16, 32),
        layers_per_block=1,
        norm_num_groups=8,
        cross_attention_dim=16,
        attention_head_dim=8,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
    ).to(device)
    with torch.no_grad():
        latents = coder.encode(torch.randn(1, 3, SIZE, SIZE, device=device)).latent_dist.sample()
        conditions = torch.randn(1, 5, 16, device=device)
        predicted = model(latents, 10, encoder_hidden_states=conditions).sample
        decoded = coder.decode(predicted).sample
    print(f"latent: {predicted.std().item():.6f}, decoded {decoded.std().item():.6f}")


if __name__ == "__main__":
    place = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_and_sample(place)
    latent(place)
