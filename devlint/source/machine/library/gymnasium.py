"""Environments of Gym and Gymnasium, which return observations and rewards as arrays and numbers
(`gymnasium/core.py`, `Env.step` and `Env.reset`)."""

from __future__ import annotations

import re

from devlint.source.machine.domain.values import ARRAY, Value, changed
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.library.handlers import Handler

_ENVIRONMENT = "gymnasium.Env"
_CLASS = re.compile(
    r"(gym|gymnasium)\.(wrappers|vector)\.(\w+\.)*[A-Z]\w*$"
    r"|stable_baselines3\.common\.vec_env\.(\w+\.)*[A-Z]\w*$"
)


def is_environment(name: str) -> bool:
    """Whether the objects of a class outside the project are environments."""
    return name == _ENVIRONMENT or _CLASS.match(name) is not None


def call_method(name: str) -> Value | None:
    """The result of an environment's method; None if it holds no observation. Releases differ in how many
    values `reset` and `step` return; each value may be an array or a number."""
    return changed(ARRAY, may_be_number=True) if name in ("reset", "step") else None


def _made(machine: Machine, call: Call) -> Value:
    return machine.adopt(Instance(_ENVIRONMENT, call.site))


GYMNASIUM: dict[str, Handler] = dict.fromkeys(
    ("gym.make", "gym.vector.make", "gymnasium.make", "gymnasium.make_vec"), _made
)
