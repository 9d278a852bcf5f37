"""Optimizers step parameters of simulated devices as they step those of the CPU."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from devlint.simulation import Simulation

OPTIMIZERS: list[tuple[str, dict[str, Any]]] = [
    ("Adadelta", {}),
    ("Adagrad", {}),
    ("Adam", {}),
    ("Adam", {"amsgrad": True, "weight_decay": 0.1, "maximize": True}),
    ("AdamW", {}),
    ("Adamax", {}),
    ("NAdam", {}),
    ("RAdam", {}),
    ("RMSprop", {"momentum": 0.9, "centered": True}),
    ("Rprop", {}),
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
]


class Functions(TorchFunctionMode):
    """The functions that a mode of the program's own sees."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(func)
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(("name", "options"), OPTIMIZERS)
def test_optimizers_are_bit_for_bit_those_of_the_cpu(name: str, options: dict[str, Any]) -> None:
    with Simulation("cuda", 1):
        simulated = [weight.tolist() for weight in trained("cuda", options, name)]
    assert simulated == [weight.tolist() for weight in trained("cpu", options, name)]


@pytest.mark.parametrize(("name", "options"), OPTIMIZERS)
def test_states_are_where_cuda_has_them(name: str, options: dict[str, Any]) -> None:
    """On the device of the parameters, but for the numbers of steps and the like, without dimensions."""
    with Simulation("cuda", 2):
        parameter = nn.Parameter(torch.ones(3, device="cuda:1"))
        optimizer = getattr(torch.optim, name)([parameter], **options)
        for _ in range(2):
            parameter.sum().backward()  # type: ignore[no-untyped-call] # torch is untyped here
            optimizer.step()
        states = [value for value in optimizer.state[parameter].values() if isinstance(value, Tensor)]
        assert {str(state.device) for state in states if state.dim()} <= {"cuda:1"}
        assert {str(state.device) for state in states if not state.dim()} <= {"cpu"}


def test_a_step_on_one_device_is_not_looked_at(looked_at: list[str]) -> None:
    with Simulation("cuda", 1):
        parameter, optimizer = with_gradient("cuda")
        optimizer.step()  # makes the state
        looked_at.clear()
        optimizer.step()
        assert not [kernel for kernel in looked_at if kernel.startswith("aten.")]
        assert parameter.is_cuda


def test_groups_on_several_devices_are_stepped() -> None:
    with Simulation("cuda", 2):
        parameters = [nn.Parameter(torch.ones(3, device=device)) for device in ("cuda:0", "cuda:1", "cpu")]
        optimizer = torch.optim.Adam(parameters)
        for parameter in parameters:
            parameter.sum().backward()  # type: ignore[no-untyped-call] # torch is untyped here
        optimizer.step()
        assert [str(optimizer.state[each]["exp_avg"].device) for each in parameters] == [
            *("cuda:0", "cuda:1", "cpu")
        ]


def test_a_state_that_was_put_elsewhere_is_refused() -> None:
    with Simulation("cuda", 1):
        parameter, optimizer = with_gradient("cuda")
        optimizer.step()
        state = optimizer.state[parameter]
        state["exp_avg"] = state["exp_avg"].cpu()
        with pytest.raises(RuntimeError, match="devices"):
            optimizer.step()


def test_a_number_of_steps_on_the_device_is_waited_for() -> None:
    reads = []
    with Simulation("cuda", 1, on_hidden_read=lambda kernel, *_: reads.append(kernel)):
        parameter, optimizer = with_gradient("cuda")
        optimizer.step()
        assert not reads
        state = optimizer.state[parameter]
        state["step"] = state["step"].cuda()
        optimizer.step()
    assert reads == ["aten::_local_scalar_dense"]


def test_modes_of_the_program_see_what_a_step_calls() -> None:
    with Simulation("cuda", 1):
        _, optimizer = with_gradient("cuda")
        with Functions() as functions:
            optimizer.step()
    assert Tensor.lerp_ in functions.seen


def test_sparse_gradients_are_stepped() -> None:
    with Simulation("cuda", 1):
        table = nn.Embedding(4, 2, sparse=True).cuda()
        optimizer = torch.optim.SGD(table.parameters(), lr=0.1, momentum=0.9)
        table(torch.tensor([1, 2], device="cuda")).sum().backward()
        optimizer.step()
        assert optimizer.state[table.weight]["momentum_buffer"].is_cuda


def with_gradient(device: str) -> tuple[nn.Parameter, torch.optim.Optimizer]:
    """A parameter with a gradient, and its optimizer."""
    parameter = nn.Parameter(torch.ones(3, device=device))
    optimizer = torch.optim.Adam([parameter])
    parameter.sum().backward()  # type: ignore[no-untyped-call] # torch is untyped here
    return parameter, optimizer


@pytest.mark.parametrize(
    "options", [{}, {"fused": True}, {"foreach": True}, {"fused": True, "amsgrad": True}]
)
def test_adamw_is_bit_for_bit_that_of_the_cpu(options: dict[str, Any]) -> None:
    with Simulation("cuda", 1):
        simulated = [weight.tolist() for weight in trained("cuda", options)]
    assert simulated == [weight.tolist() for weight in trained("cpu", options)]


def trained(device: str, options: dict[str, Any], name: str = "AdamW") -> list[torch.Tensor]:
    """The parameters of a small network after two steps, on the host."""
    torch.manual_seed(0)
    network = nn.Linear(3, 2).to(device)
    optimizer = getattr(torch.optim, name)(network.parameters(), **options)
    for _ in range(2):
        network(torch.ones(1, 3, device=device)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return [parameter.detach().cpu() for parameter in network.parameters()]
