"""Tests that events inside backward are observed, for the guards around the call that starts it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import torch
from torch.utils.checkpoint import checkpoint

import devlint
from devlint.model import Cause
from tests.runtime.interception.watching import session, waits

READ = ("torch.Tensor.item", Cause.BACKWARD)


class Reading(torch.autograd.Function):
    """Reads its gradient on the host."""

    @staticmethod
    def forward(_: Any, x: Any) -> Any:
        return x.clone()

    @staticmethod
    def backward(_: Any, gradient: torch.Tensor) -> Any:
        return gradient * gradient.sum().item()


def leaf() -> Any:
    return torch.ones(3, device="cuda", requires_grad=True)


def through_custom_function(x: Any) -> Any:
    reading: Any = Reading
    return reading.apply(x).sum()


def through_tensor_hook(x: Any) -> Any:
    y = x * 2
    y.register_hook(lambda gradient: gradient * gradient.sum().item())
    return y.sum()


def through_module_hook(x: Any) -> Any:
    module: Any = torch.nn.Identity()
    module.register_full_backward_hook(lambda _, given, __: (given[0] * given[0].sum().item(),))
    return module(x).sum()


def through_node_hook(x: Any) -> Any:
    y = x * 2
    y.grad_fn.register_hook(lambda given, _: (given[0] * given[0].sum().item(), None))
    return y.sum()


def through_accumulation_hook(x: Any) -> Any:
    def read(leaf: Any) -> None:
        leaf.grad.sum().item()

    x.register_post_accumulate_grad_hook(read)
    return (x * 2).sum()


WAYS = (
    through_custom_function,
    through_tensor_hook,
    through_module_hook,
    through_node_hook,
    through_accumulation_hook,
)


@pytest.mark.parametrize("way", WAYS)
def test_a_read_in_backward_is_seen_as_such(way: Any) -> None:
    with session() as found:
        way(leaf()).backward()
    assert waits(found) == Counter({READ: 1})


@pytest.mark.parametrize("way", WAYS)
def test_a_read_under_autograd_grad_is_seen(way: Any) -> None:
    if way is through_accumulation_hook:
        pytest.skip("nothing is accumulated")
    with session() as found:
        x = leaf()
        torch.autograd.grad(way(x), x)
    assert waits(found) == Counter({READ: 1})


@pytest.mark.parametrize("reentrant", [False, True])
def test_what_a_checkpoint_computes_once_more_is_seen(reentrant: bool) -> None:
    def block(x: Any) -> Any:
        scale = x.sum().item()
        return x * x * scale

    with session() as found:
        checkpoint(block, leaf(), use_reentrant=reentrant).sum().backward()
    assert waits(found) == Counter({("torch.Tensor.item", Cause.HOST_READ): 1, READ: 1})


def test_a_backward_inside_a_backward_is_seen_once() -> None:
    def run_another(_: torch.Tensor) -> None:
        with torch.enable_grad():
            through_tensor_hook(leaf()).backward()

    with session() as found:
        y = leaf() * 2
        y.register_hook(run_another)
        y.sum().backward()
    assert waits(found) == Counter({READ: 1})


def test_a_wait_that_is_asked_for_stays_one() -> None:
    with session() as found:
        y = leaf() * 2
        y.register_hook(lambda _: torch.cuda.synchronize())
        y.sum().backward()
    assert waits(found) == Counter({("torch.cuda.synchronize", Cause.EXPLICIT): 1})


def test_levels_hold_inside() -> None:
    with devlint.simulate("cuda"), devlint.guard(sync="disallow"):
        loss = through_tensor_hook(leaf())
        with pytest.raises(devlint.DisallowedError, match="sync"):
            loss.backward()


def test_an_allow_block_inside_backward_holds_there() -> None:
    read: list[float] = []

    def reading(gradient: torch.Tensor) -> None:
        with devlint.allow("sync"):
            read.append(gradient.sum().item())

    with devlint.simulate("cuda"), devlint.guard(sync="disallow"):
        y = leaf() * 2
        y.register_hook(reading)
        y.sum().backward()
    assert read == [y.numel()]


def test_backward_outside_of_a_guard_is_left_alone() -> None:
    with devlint.simulate("cuda"):
        loss = through_tensor_hook(leaf())
        with devlint.guard() as guard:
            pass
        loss.backward()
    assert guard.findings == []
