"""Policies that turn observations into actions."""

from abc import ABC, abstractmethod
from typing import Tuple, Union

import numpy as np
import torch as th
from torch import nn


def get_device(device: Union[th.device, str] = "auto") -> th.device:
    """
    :param device: a device, or "auto" for the GPU if there is one
    :return: the device to use
    """
    if device == "auto":
        return th.device("cuda" if th.cuda.is_available() else "cpu")
    return th.device(device)


class Policy(nn.Module, ABC):
    """
    :param obs_shape: shape of one observation
    :param action_dim: number of entries of one action
    """

    def __init__(self, obs_shape: Tuple[int, ...], action_dim: int):
        super().__init__()
        self.obs_shape = obs_shape
        self.action_dim = action_dim

    @abstractmethod
    def act(self, obs: th.Tensor) -> th.Tensor:
        """The actions for a batch of observations."""

    @property
    def device(self) -> th.device:
        parameter = next(self.parameters(), None)
        if parameter is not None:
            return parameter.device
        return get_device("auto")  # error: [DL403|DL111]

    @th.no_grad()
    def predict(self, obs: np.ndarray) -> np.ndarray:
        batch = th.as_tensor(obs.reshape(-1, *self.obs_shape), dtype=th.float32, device=self.device)
        return self.act(batch).cpu().numpy()


class ConstantPolicy(Policy):
    """Does the same all the time; a baseline."""

    def act(self, obs: th.Tensor) -> th.Tensor:
        return th.zeros(obs.shape[0], self.action_dim, device=obs.device)
