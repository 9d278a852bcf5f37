"""Environments of Gym and Gymnasium, which return observations and rewards as arrays and numbers
(`gymnasium/core.py`, `Env.step` and `Env.reset`), and what a class inherits that wraps one."""

from __future__ import annotations

import re

from devlint.source.machine.domain.values import ARRAY, NONE, Value, changed
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.library.handlers import Handler

_ENVIRONMENT = "gymnasium.Env"
_CLASS = re.compile(
    r"(gym|gymnasium)\.(wrappers|vector)\.(\w+\.)*[A-Z]\w*$"
    r"|stable_baselines3\.common\.vec_env\.(\w+\.)*[A-Z]\w*$"
)

_VECTORS = re.compile(r"(stable_baselines3|baselines)\.common\.vec_env\.(\w+\.)*VecEnv(Wrapper)?$")
_WRAPPED = "venv"
"""The attribute in which `VecEnvWrapper` keeps the environments that it wraps
(`stable_baselines3/common/vec_env/base_vec_env.py`)."""


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


def call_inherited(
    machine: Machine, instance: Instance, receiver: Value, name: str, call: Call
) -> Value | None:
    """A method that a class of the project inherits from Stable Baselines' `VecEnv` or `VecEnvWrapper`; None
    if it is another one."""
    if not isinstance(instance.of, Class) or not any(map(_VECTORS.match, instance.of.externals)):
        return None
    match name:
        case "__init__" if call.passed:
            machine.store.write(instance, _WRAPPED, call.first)
            return NONE
        case "step":
            _call(machine, receiver, "step_async", call)
            return _call(machine, receiver, "step_wait", call.passing([]))
        case "step_async" | "step_wait" | "reset" if _WRAPPED in instance.cells:
            return _call(machine, instance.cells[_WRAPPED], name, call)
        case _:
            return None


def _call(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    return machine.call(machine.attribute(receiver, name, call.frame, call.node), call)
