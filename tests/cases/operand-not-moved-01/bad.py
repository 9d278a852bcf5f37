from typing import List

import numpy as np
import torch


class FlowMatchEulerScheduler:
    """
    Euler scheduler for flow matching.

    Args:
        num_train_timesteps (`int`, defaults to 1000):
            The number of diffusion steps to train the model.
        shift (`float`, defaults to 1.0):
            The shift value for the timestep schedule.
    """

    order = 1

    def __init__(self, num_train_timesteps: int = 1000, shift: float = 1.0):
        self.num_train_timesteps = num_train_timesteps
        self.shift = shift
        timesteps = np.linspace(1, num_train_timesteps, num_train_timesteps, dtype=np.float32)[::-1].copy()
        sigmas = torch.from_numpy(timesteps).to(dtype=torch.float32) / num_train_timesteps
        sigmas = shift * sigmas / (1 + (shift - 1) * sigmas)
        self.timesteps = sigmas * num_train_timesteps
        # kept on the host to avoid too much communication with the accelerator
        self.sigmas = sigmas.to("cpu")

    def scale_noise(self, sample: torch.Tensor, step_indices: List[int], noise: torch.Tensor) -> torch.Tensor:
        """
        Forward process in flow-matching.

        Args:
            sample (`torch.Tensor`): The input sample.
            step_indices (`list[int]`): The step of each element of the batch.
            noise (`torch.Tensor`): The noise to mix in.
        """
        sigma = self.sigmas[step_indices].flatten()
        while len(sigma.shape) < len(sample.shape):
            sigma = sigma.unsqueeze(-1)
        return sigma * noise + (1.0 - sigma) * sample  # error: [DL101]

    def __len__(self) -> int:
        return self.num_train_timesteps
