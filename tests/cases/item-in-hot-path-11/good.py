from typing import List, Optional, Union

import torch
from diffusers import DiffusionPipeline
from diffusers.schedulers import FlowMatchEulerDiscreteScheduler


class VideoPipeline(DiffusionPipeline):
    r"""
    Pipeline for text-to-video generation with guidance on a part of the timesteps.

    Args:
        transformer: Conditional transformer that denoises the encoded video latents.
        scheduler: A scheduler to be used in combination with `transformer`.
    """

    def __init__(self, transformer, vae, scheduler: FlowMatchEulerDiscreteScheduler):
        super().__init__()
        self.register_modules(transformer=transformer, vae=vae, scheduler=scheduler)

    def prepare_latents(self, batch_size, channels, frames, height, width, dtype, device):
        shape = (batch_size, channels, frames, height // 8, width // 8)
        return torch.randn(shape, dtype=dtype, device=device)

    @torch.no_grad()
    def __call__(
        self,
        prompt_embeds: torch.Tensor,
        negative_prompt_embeds: torch.Tensor,
        height: int = 480,
        width: int = 832,
        num_inference_steps: int = 50,
        guidance_scale: float = 5.0,
        guidance_until: float = 250.0,
        output_type: Optional[str] = "pt",
    ) -> Union[torch.Tensor, List]:
        device = self._execution_device
        latents = self.prepare_latents(prompt_embeds.shape[0], 16, 21, height, width, prompt_embeds.dtype, device)

        self.scheduler.set_timesteps(num_inference_steps, device=device)
        timesteps = self.scheduler.timesteps
        timestep_values = timesteps.tolist()

        with self.progress_bar(total=num_inference_steps) as progress_bar:
            for i, t in enumerate(timesteps):
                timestep = t.expand(latents.shape[0]).to(device=latents.device, dtype=latents.dtype)
                noise_pred = self.transformer(latents, timestep, prompt_embeds)
                if timestep_values[i] > guidance_until:
                    noise_uncond = self.transformer(latents, timestep, negative_prompt_embeds)
                    noise_pred = noise_uncond + guidance_scale * (noise_pred - noise_uncond)
                latents = self.scheduler.step(noise_pred, t, latents, return_dict=False)[0]
                progress_bar.update()

        if output_type == "latent":
            return latents
        return self.vae.decode(latents, return_dict=False)[0]
