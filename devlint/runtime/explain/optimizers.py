"""The tensors of an optimizer, with the paths by which a program can access them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from devlint.runtime.explain.stack import StackLevel
from devlint.runtime.explain.tensors import attributes_of, is_tensor, items_of

_STATE = ".state[p]"
"""The path of the state of any parameter `p`; the whole path would be too long to read."""
_gradient = torch.Tensor.grad.__get__  # type: ignore[union-attr]


def optimizer_of(levels: Sequence[StackLevel]) -> torch.optim.Optimizer | None:
    """The optimizer whose step is on the stack."""
    for level in levels:
        code = level.frame.f_code
        if code.co_argcount and code.co_varnames[0] == "self":
            receiver = level.frame.f_locals.get("self")
            if issubclass(type(receiver), torch.optim.Optimizer):
                return receiver
    return None


def tensors_of(optimizer: torch.optim.Optimizer, name: str) -> Iterator[tuple[torch.Tensor, str]]:
    """The parameters with their gradients and state, each with its path."""
    own = attributes_of(optimizer)
    for position, group in items_of(own.get("param_groups")):
        for index, parameter in items_of(dict(items_of(group)).get("['params']")):
            if is_tensor(parameter):
                path = f"{name}.param_groups{position}['params']{index}"
                yield parameter, path
                yield from _gradient_and_state(own.get("state"), parameter, path, name)


def is_state(path: str) -> bool:
    """Whether a path leads to the state of an optimizer, not to a parameter or gradient."""
    return _STATE in path


def _gradient_and_state(
    state: object, parameter: torch.Tensor, path: str, name: str
) -> Iterator[tuple[torch.Tensor, str]]:
    with torch._C.DisableTorchFunctionSubclass():
        gradient = _gradient(parameter)
    if is_tensor(gradient):
        yield gradient, f"{path}.grad"
    if issubclass(type(state), dict):
        kept = dict.get(state, parameter)  # type: ignore[call-overload]
        for key, tensor in items_of(kept):
            if is_tensor(tensor):
                yield tensor, f"{name}{_STATE}{key}"
