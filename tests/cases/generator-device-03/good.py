from __future__ import annotations

import torch
from torch import nn


class NoisyPointMassEnv:
    """A point mass that is pushed about in a box, batched over environments.

    Args:
        num_envs (int): how many environments are stepped at once.
        device (torch.device or str, optional): where states and observations live.
        seed (int, optional): seed of the environment's own random numbers.
    """

    def __init__(self, num_envs: int = 32, device="cpu", seed: int | None = None):
        self.num_envs = num_envs
        self.device = torch.device(device)
        self.dt = 0.05
        self.state = torch.zeros(num_envs, 4, device=self.device)
        self._set_seed(seed)

    def _set_seed(self, seed: int | None):
        self.rng = torch.Generator(device=self.device)
        if seed is not None:
            self.rng.manual_seed(seed)

    def reset(self) -> torch.Tensor:
        position = torch.rand(self.num_envs, 2, generator=self.rng, device=self.device) * 2 - 1
        velocity = torch.zeros(self.num_envs, 2, device=self.device)
        self.state = torch.cat([position, velocity], dim=-1)
        return self.state

    def step(self, action: torch.Tensor):
        position, velocity = self.state.chunk(2, dim=-1)
        velocity = velocity + self.dt * action.clamp(-1.0, 1.0)
        position = (position + self.dt * velocity).clamp(-1.0, 1.0)
        self.state = torch.cat([position, velocity], dim=-1)
        reward = -position.norm(dim=-1)
        return self.state, reward

    def rollout(self, policy: nn.Module, max_steps: int) -> tuple[torch.Tensor, torch.Tensor]:
        observations, rewards = [self.reset()], []
        for _ in range(max_steps):
            observation, reward = self.step(policy(observations[-1]))
            observations.append(observation)
            rewards.append(reward)
        return torch.stack(observations), torch.stack(rewards)
