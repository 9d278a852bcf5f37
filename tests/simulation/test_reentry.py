"""Simulated devices hold where torch calls Python back, and in other threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from torch import Tensor

from devlint.simulation import Simulation


class Doubled(torch.autograd.Function):
    """Makes a tensor on the gradient's device in backward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        """Twice the operand."""
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        """Twice the gradient."""
        (x,) = ctx.saved_tensors
        assert x.device == gradient.device == torch.device("cuda:1")
        return gradient * torch.full((2,), 2.0, device=gradient.device)


def test_hooks_and_custom_functions_in_backward() -> None:
    seen: list[torch.device] = []
    with Simulation("cuda", 2):
        x = torch.ones(2, device="cuda:1", requires_grad=True)
        y = Doubled.apply(x)  # type: ignore[no-untyped-call]
        y.register_hook(lambda gradient: seen.append(gradient.to("cuda:0").device))
        y.sum().backward()
        assert x.grad is not None
        assert x.grad.tolist() == [2.0, 2.0]
        assert seen == [torch.device("cuda:0")]


def test_hooks_on_saved_tensors() -> None:
    seen: list[torch.device] = []

    def pack(tensor: Tensor) -> Tensor:
        seen.append(tensor.device)
        return tensor.cpu()

    with Simulation("cuda"):
        x = torch.ones(2, device="cuda", requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor.cuda()):
            y = x.exp()
        y.sum().backward()  # type: ignore[no-untyped-call]
        assert set(seen) == {torch.device("cuda:0")}
        assert x.grad is not None
        assert x.grad.is_cuda


def test_threads_started_inside() -> None:
    with Simulation("cuda"), ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: torch.ones(2, device="cuda").is_cuda).result()


def test_a_thread_that_was_there_before_is_left_alone() -> None:
    begin, answers = threading.Event(), []

    def work() -> None:
        begin.wait()
        answers.append(torch.ones(2).sum().item())

    thread = threading.Thread(target=work)
    thread.start()
    with Simulation("cuda"):
        begin.set()
        thread.join()
    assert answers == [2.0]
