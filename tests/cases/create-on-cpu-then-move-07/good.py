from __future__ import annotations

import torch
from torch import nn


class AncestralScheduler(nn.Module):
    """
    Ancestral sampling of a denoising diffusion probabilistic model.

    Args:
        num_train_timesteps: number of diffusion steps used to train the model.
        beta_start: variance of the first step.
        beta_end: variance of the last step.
        clip_sample: whether to clip the predicted sample between -1 and 1.
    """

    def __init__(
        self,
        num_train_timesteps: int = 1000,
        beta_start: float = 1e-4,
        beta_end: float = 2e-2,
        clip_sample: bool = True,
    ) -> None:
        super().__init__()
        self.num_train_timesteps = num_train_timesteps
        self.clip_sample = clip_sample
        betas = torch.linspace(beta_start, beta_end, num_train_timesteps, dtype=torch.float32)
        self.register_buffer("betas", betas)
        self.register_buffer("alphas_cumprod", torch.cumprod(1.0 - betas, dim=0))

    def step(self, model_output: torch.Tensor, timestep: int, sample: torch.Tensor) -> torch.Tensor:
        """
        Predict the sample at the previous timestep by reversing the SDE.

        Args:
            model_output: direct output from learned diffusion model.
            timestep: current discrete timestep in the diffusion chain.
            sample: current instance of sample being created by the diffusion process.
        """
        alpha_prod_t = self.alphas_cumprod[timestep]
        beta_t = self.betas[timestep]

        pred_mean = (sample - beta_t * model_output / (1 - alpha_prod_t).sqrt()) / (1 - beta_t).sqrt()
        if self.clip_sample:
            pred_mean = torch.clamp(pred_mean, -1, 1)
        if timestep == 0:
            return pred_mean

        noise = torch.randn(model_output.size(), dtype=model_output.dtype, device=model_output.device)
        return pred_mean + beta_t.sqrt() * noise
