#!/usr/bin/env python3
from typing import Any, Callable, List, Optional, Tuple, Union

import torch
from torch import Tensor
from torch.nn import Module

TargetType = Union[None, int, Tuple[int, ...], Tensor, List[int]]


def _select_targets(output: Tensor, target: TargetType) -> Tensor:
    """Picks from each row of the output the score of its target class."""
    if target is None:
        return output

    num_examples = output.shape[0]
    if isinstance(target, int):
        return output[:, target]
    if isinstance(target, Tensor):
        return torch.gather(output, 1, target.reshape(len(output), 1))
    if isinstance(target, list):
        assert len(target) == num_examples, "Target list length does not match output!"
        return torch.gather(output, 1, torch.tensor(target).reshape(len(output), 1))  # error: [DL102]
    raise AssertionError("Target type %r is not valid." % target)


def _run_forward(
    forward_func: Callable,
    inputs: Tuple[Tensor, ...],
    target: TargetType = None,
    additional_forward_args: Optional[Tuple[Any, ...]] = None,
) -> Tensor:
    output = forward_func(*(*inputs, *(additional_forward_args or ())))
    return _select_targets(output, target)


def compute_gradients(
    model: Module, inputs: Tuple[Tensor, ...], target: TargetType = None
) -> Tuple[Tensor, ...]:
    """Gradients of the outputs with respect to the inputs."""
    with torch.autograd.set_grad_enabled(True):
        outputs = _run_forward(model, inputs, target)
        return torch.autograd.grad(torch.unbind(outputs), inputs)
