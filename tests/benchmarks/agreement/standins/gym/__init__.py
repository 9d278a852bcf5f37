"""gym as it was before 0.26, over gymnasium: `reset` returns an observation, `step` four values."""

from __future__ import annotations

import os
import sys
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from stand_in.silent import Nothing

__all__ = [
    "ActionWrapper",
    "Env",
    "ObservationWrapper",
    "RewardWrapper",
    "Wrapper",
    "logger",
    "make",
    "spaces",
]
__version__ = "0.21.0"
STANDINS = {"CartPole-v0": "CartPole-v1", "Pendulum-v0": "Pendulum-v1", "HalfCheetah-v2": "Pendulum-v1"}
Env = gymnasium.Env
logger = Nothing()


class Wrapper:
    """An environment with the calls of that time."""

    reward_range = (-np.inf, np.inf)

    def __init__(self, env: Any) -> None:
        self.env = env
        self._max_episode_steps = 200
        self._seed: int | None = None

    @property
    def unwrapped(self) -> Any:
        """This very environment: what it wraps has other calls."""
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["env"], name)

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Remember a seed for the next start."""
        if isinstance(self.env, Wrapper):
            return self.env.seed(seed)
        self._seed = seed
        return [seed]

    def reset(self, **_: Any) -> Any:
        """Start an episode."""
        if isinstance(self.env, Wrapper):
            return self.env.reset()
        seed, self._seed = self._seed, None
        return self.env.reset(seed=seed)[0]

    def step(self, action: Any) -> tuple[Any, float, bool, dict[str, Any]]:
        """Take an action."""
        if isinstance(self.env, Wrapper):
            return self.env.step(action)
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, float(np.asarray(reward)), bool(terminated or truncated), info

    def render(self, *_: Any, **__: Any) -> None:
        """Show nothing."""


class ActionWrapper(Wrapper):
    """An environment that changes actions on their way in."""

    def step(self, action: Any) -> tuple[Any, float, bool, dict[str, Any]]:
        """Take a changed action."""
        return super().step(self.action(action))

    def action(self, action: Any) -> Any:
        """The changed action."""
        return action


class ObservationWrapper(Wrapper):
    """An environment that changes observations."""


class RewardWrapper(Wrapper):
    """An environment that changes rewards."""


def make(name: str, **_: Any) -> Any:
    """An environment by its name, or another one; with the calls of gym 0.26 where the program is told so."""
    try:
        made = gymnasium.make(STANDINS.get(name, name))
    except gymnasium.error.Error:
        made = gymnasium.make("Pendulum-v1")
    return made if "GYM_26" in os.environ else Wrapper(made)


gymnasium.wrappers.FrameStack = gymnasium.wrappers.FrameStackObservation  # type: ignore[attr-defined]
sys.modules["gym.utils"] = gymnasium.utils
sys.modules["gym.spaces"] = spaces
sys.modules["gym.spaces.box"] = spaces.box
sys.modules["gym.wrappers"] = gymnasium.wrappers
