"""Nothing is left of a simulation when it is over."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import threading
import types
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager

import pytest
import torch
from torch import nn
from torch.overrides import _get_current_function_mode_stack
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from devlint.simulation import Simulation
from devlint.simulation.simulation import running

CHANGED = (
    torch,
    torch._C,
    torch._C._nn,
    torch._tensor_str,
    torch.accelerator,
    torch.autograd,
    torch.autograd.grad_mode.inference_mode,
    torch.autograd.graph,
    torch.backends.cuda,
    torch.backends.cudnn,
    torch.backends.mps,
    torch.cuda,
    torch.cuda.memory,
    torch.cuda.nvtx,
    torch.cuda.random,
    torch.cuda.streams,
    torch.mps,
    torch.nested,
    importlib.import_module("torch.optim.optimizer"),
    torch.overrides,
    torch.serialization,
    torch.Tensor,
    torch.utils._device.DeviceContext,
    torch.xpu,
)


def state() -> list[dict[str, int]]:
    """The identity of each attribute that a simulation changes."""
    return [{name: id(value) for name, value in vars(owner).items()} for owner in CHANGED]


@pytest.mark.parametrize("device_type", ["cuda", "xpu", "mps"])
def test_every_attribute_is_what_it_was(device_type: str) -> None:
    import torch._dynamo  # noqa: PLC0415 - optimizers import it, and it stays

    before = state()
    with Simulation(device_type):
        assert state() != before
        layer = nn.Linear(2, 2).to(device_type)
        optimizer = torch.optim.Adam(layer.parameters())
        layer(torch.ones(1, 2, device=device_type)).sum().backward()
        optimizer.step()
    assert state() == before
    assert not torch.cuda.is_available() or torch.version.cuda
    assert _get_current_function_mode_stack() == []  # type: ignore[no-untyped-call]
    assert _get_current_dispatch_mode_stack() == []


def test_replacements_are_told_apart() -> None:
    """Dynamo rejects a function that replaces two of torch's."""
    with Simulation("cuda"):
        replaced = [
            value
            for value in vars(torch.cuda).values()
            if getattr(value, "__module__", "").startswith("devlint")
        ]
        assert len({id(value) for value in replaced}) == len(replaced) > 20


def test_tensors_that_outlive_it_are_plain_ones() -> None:
    with Simulation("cuda"):
        x = torch.ones(2, device="cuda", requires_grad=True)
        y = x * 2
    y.sum().backward()  # type: ignore[no-untyped-call]
    assert x.device == torch.device("cpu")
    assert (x + torch.ones(2)).tolist() == [2.0, 2.0]
    assert x.grad is not None
    assert x.grad.numpy().tolist() == [2.0, 2.0]


def test_an_error_inside_ends_it_too() -> None:
    before = state()
    with pytest.raises(ZeroDivisionError), Simulation("cuda"):
        raise ZeroDivisionError
    assert state() == before


def test_there_is_one_at_a_time() -> None:
    with Simulation("cuda"), pytest.raises(RuntimeError, match="simulated already"), Simulation("cuda"):
        pass
    with Simulation("cuda", 2):
        assert torch.cuda.device_count() == 2


def test_as_a_decorator() -> None:
    @Simulation("cuda")
    def device() -> str:
        return str(torch.ones(1, device="cuda").device)

    assert device() == device() == "cuda:0"


def test_a_generator_has_devices_until_it_ends() -> None:
    """As what a test is given by a fixture that yields."""

    @Simulation()
    def given() -> Generator[torch.Tensor, str, str]:
        return (yield torch.ones(2).cuda())

    assert inspect.isgeneratorfunction(given)
    steps = given()
    assert not torch.cuda.is_available()
    assert next(steps).is_cuda
    assert torch.ones(1).cuda().is_cuda
    with pytest.raises(StopIteration) as end:
        steps.send("the end")
    assert end.value.value == "the end"
    assert not torch.cuda.is_available()


def test_a_generator_that_is_given_up_has_no_devices_any_more() -> None:
    @Simulation()
    def given() -> Generator[bool, None, None]:
        yield torch.cuda.is_available()

    steps = given()
    assert next(steps)
    steps.close()
    assert not torch.cuda.is_available()


def test_a_coroutine_has_devices_until_it_ends() -> None:
    @Simulation()
    async def train() -> torch.device:
        await asyncio.sleep(0)
        return torch.ones(2).cuda().device

    assert asyncio.run(train()) == torch.device("cuda:0")
    assert not torch.cuda.is_available()


def test_an_asynchronous_generator_has_devices_until_it_ends() -> None:
    caught = []

    @Simulation()
    async def given() -> AsyncGenerator[bool, None]:
        try:
            yield torch.ones(2).cuda().is_cuda
        except KeyError as error:
            caught.append((error, torch.cuda.is_available()))
            raise

    async def use() -> None:
        async with asynccontextmanager(given)() as seen:
            assert seen
            raise KeyError

    with pytest.raises(KeyError):
        asyncio.run(use())
    assert [available for _, available in caught] == [True]
    assert not torch.cuda.is_available()


def test_an_asynchronous_generator_that_is_left_open_is_closed_with_its_devices() -> None:
    available = []

    @Simulation()
    async def given() -> AsyncGenerator[int, None]:
        try:
            yield 1
        finally:
            available.append(torch.cuda.is_available())

    logged: list[object] = []

    async def main() -> AsyncGenerator[int, None]:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: logged.append(context))
        steps = given()
        assert await anext(steps) == 1
        return steps

    asyncio.run(main())
    assert available == [True]
    assert logged == []
    assert not torch.cuda.is_available()


def test_a_coroutine_made_of_a_generator_stays_one() -> None:
    @Simulation()
    @types.coroutine
    def work() -> Generator[None, None, bool]:
        yield
        return torch.cuda.is_available()

    async def main() -> bool:
        return await work()

    assert asyncio.run(main())


def test_it_cannot_be_left_in_another_thread() -> None:
    refused: list[str] = []

    def leave() -> None:
        started.wait()
        try:
            steps.close()
        except RuntimeError as error:
            refused.append(str(error))

    simulation = Simulation()

    @simulation
    def given() -> Generator[None, None, None]:
        yield

    started = threading.Event()
    before = threading.Thread(target=leave)
    before.start()
    steps = given()
    next(steps)
    started.set()
    before.join()
    assert refused == ["the simulation was not entered in this thread"]
    assert running() == ("cuda", 1)
    assert torch.ones(1).cuda().is_cuda
    simulation.__exit__()
    assert running() is None


def test_what_is_no_function_cannot_be_decorated() -> None:
    with pytest.raises(TypeError, match="a simulation takes a function, not class Linear;"):
        Simulation()(nn.Linear)


@pytest.mark.parametrize(("device_type", "devices"), [("tpu", 1), ("cuda", 0)])
def test_what_cannot_be_simulated(device_type: str, devices: int) -> None:
    with pytest.raises(ValueError, match="cannot be simulated"):
        Simulation(device_type, devices)
