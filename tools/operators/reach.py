"""Runs the operator database to reach many kernels: two backward passes, in place, and with `out`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import torch
from torch.testing._internal import common_methods_invocations as database
from torch.testing._internal.opinfo.core import OpInfo
from torch.utils._pytree import tree_leaves, tree_map

from tools.operators.programs import PROGRAMS
from tools.operators.samples import Inputs, entries, inputs_of, placed, seed

Run: TypeAlias = Callable[[], Any]
Runs: TypeAlias = Callable[[str], Iterator[Run]]
"""Calls on a device; each may raise any error of torch."""

_FOREACH = (
    *database.foreach_unary_op_db,
    *database.foreach_binary_op_db,
    *database.foreach_pointwise_op_db,
    *database.foreach_reduce_op_db,
    *database.foreach_other_op_db,
)


def subjects() -> dict[str, Runs]:
    """All that is run, by name."""
    return {
        **{name: partial(_operator, info) for name, info in entries().items()},
        **{info.name: partial(_foreach, info) for info in _FOREACH},
        **{name: partial(_program, name) for name in PROGRAMS},
    }


def _operator(info: OpInfo, device: str) -> Iterator[Run]:
    for call in inputs_of(info, requires_grad=info.supports_autograd):
        yield partial(_with_backward, info.op, _on(call, device))
    in_place: Any = info.inplace_variant
    for call in inputs_of(info):
        if in_place:
            inputs = _on(call, device)
            yield partial(in_place, *inputs[0], **inputs[1])
        if info.supports_out:
            yield partial(_into_out, info.op, _on(call, device))


def _foreach(info: Any, device: str) -> Iterator[Run]:
    seed()
    for sample in info.sample_inputs("cpu", torch.float32, requires_grad=False):
        for function in (info.method_variant, info.inplace_variant):
            if function:
                args, kwargs = _on(((sample.input, *sample.args), sample.kwargs), device)
                yield partial(function, *args, **kwargs)


def _program(name: str, device: str) -> Iterator[Run]:
    yield partial(PROGRAMS[name], device)


def _on(call: Inputs, device: str) -> Inputs:
    seed()
    return placed(call, lambda tensor: tensor.detach().to(device).requires_grad_(tensor.requires_grad))


def _with_backward(function: Callable[..., Any], inputs: Inputs) -> None:
    leaves = _differentiable(inputs)
    results = _differentiable(function(*inputs[0], **inputs[1]))
    first = _gradients(results, leaves)
    _gradients(first, [*leaves, *results])


def _gradients(results: list[torch.Tensor], leaves: list[torch.Tensor]) -> list[torch.Tensor]:
    if not results or not leaves:
        return []
    ones = [torch.ones_like(result) for result in results]
    found = torch.autograd.grad(results, leaves, ones, create_graph=True, allow_unused=True)
    return _differentiable(found)


def _differentiable(values: Any) -> list[torch.Tensor]:
    tensors = (value for value in tree_leaves(values) if isinstance(value, torch.Tensor))
    return [tensor for tensor in tensors if tensor.requires_grad]


def _into_out(function: Callable[..., Any], inputs: Inputs) -> None:
    result = function(*inputs[0], **inputs[1])
    function(*inputs[0], **inputs[1], out=tree_map(torch.empty_like, result))
