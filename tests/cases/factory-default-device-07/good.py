from typing import Tuple

import torch as th
from torch import nn


class DiagGaussianPolicy(nn.Module):
    """
    Gaussian policy with a diagonal covariance that does not depend on the state.

    :param obs_dim: Dimension of the observation
    :param action_dim: Dimension of the action
    :param log_std_init: Initial value of the log standard deviation
    """

    def __init__(self, obs_dim: int, action_dim: int, log_std_init: float = 0.0):
        super().__init__()
        self.action_dim = action_dim
        self.mu = nn.Sequential(
            nn.Linear(obs_dim, 64),
            nn.Tanh(),
            nn.Linear(64, 64),
            nn.Tanh(),
            nn.Linear(64, action_dim),
        )
        self.log_std = nn.Parameter(th.ones(action_dim) * log_std_init, requires_grad=True)

    def forward(self, obs: th.Tensor, deterministic: bool = False) -> Tuple[th.Tensor, th.Tensor]:
        mean = self.mu(obs)
        std = th.ones(self.action_dim, device=self.log_std.device) * self.log_std.exp()
        if deterministic:
            return mean, std
        return mean + std * th.randn_like(mean), std

    def log_prob(self, obs: th.Tensor, actions: th.Tensor) -> th.Tensor:
        mean = self.mu(obs)
        inverse_variance = (-2 * self.log_std).exp()
        squared = (actions - mean).pow(2) * inverse_variance
        return -0.5 * (squared + 2 * self.log_std).sum(dim=-1)
