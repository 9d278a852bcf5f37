"""Process groups on simulated devices: which tensors they take, and what they say of themselves.

Words and rules are those of `ProcessGroup::getBackend` in torch/csrc/distributed/c10d/ProcessGroup.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import distributed
from torch.distributed import _functional_collectives as functional

import devlint
from devlint.simulation.simulation import Simulation

ON_HOST = "No backend type associated with device type cpu"
COLLECTIVES: dict[str, Callable[[torch.Tensor], Any]] = {
    "all_reduce": lambda x: distributed.all_reduce(x),
    "broadcast": lambda x: distributed.broadcast(x, 0),
    "reduce": lambda x: distributed.reduce(x, 0),
    "all_gather": lambda x: distributed.all_gather([torch.empty_like(x)], x),
    "gather": lambda x: distributed.gather(x, [torch.empty_like(x)]),
    "scatter": lambda x: distributed.scatter(x, [torch.empty_like(x)]),
    "all_to_all": lambda x: distributed.all_to_all([torch.empty_like(x)], [x]),
    "all_to_all_single": lambda x: distributed.all_to_all_single(torch.empty_like(x), x),
}


@pytest.fixture
def group(tmp_path: Path) -> Callable[[str | None], Any]:
    @contextmanager
    def of(backend: str | None, **options: Any) -> Iterator[None]:
        distributed.init_process_group(
            backend, init_method=f"file://{tmp_path}/meeting", rank=0, world_size=1, **options
        )
        try:
            yield
        finally:
            distributed.destroy_process_group()

    return of


@pytest.mark.parametrize("name", COLLECTIVES)
def test_nccl_takes_tensors_of_its_devices_alone(name: str, group: Any) -> None:
    with Simulation("cuda"), group("nccl"):
        COLLECTIVES[name](torch.ones(2, device="cuda"))
        with pytest.raises(RuntimeError, match=ON_HOST):
            COLLECTIVES[name](torch.ones(2))


FUNCTIONAL: dict[str, Callable[[torch.Tensor, Any], Any]] = {
    "all_reduce": lambda x, group: functional.all_reduce(x, "sum", group),
    "broadcast": lambda x, group: functional.broadcast(x, 0, group),
    "all_gather_tensor": lambda x, group: functional.all_gather_tensor(x, 0, group),
    "reduce_scatter_tensor": lambda x, group: functional.reduce_scatter_tensor(x, "sum", 0, group),
    "all_to_all_single": lambda x, group: functional.all_to_all_single(x, None, None, group),
    "all_reduce_coalesced": lambda x, group: functional.all_reduce_coalesced([x], "sum", group)[0],
}


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", FUNCTIONAL)
def test_functional_collectives_take_tensors_of_its_devices_alone(name: str, group: Any) -> None:
    with Simulation("cuda"), group("nccl"):
        world = distributed.group.WORLD
        assert (FUNCTIONAL[name](torch.ones(2, device="cuda"), world) + 0).is_cuda
        with pytest.raises(RuntimeError, match=ON_HOST):
            FUNCTIONAL[name](torch.ones(2), world)
        beside = distributed.new_group(backend="gloo")
        assert not (FUNCTIONAL[name](torch.ones(2), beside) + 0).is_cuda


@pytest.mark.parametrize("backend", ["cpu:gloo,cuda:nccl", "gloo"])
def test_a_backend_for_each_device_takes_both(backend: str, group: Any) -> None:
    with Simulation("cuda"), group(backend):
        for device in ("cpu", "cuda"):
            tensor = torch.ones(2, device=device)
            distributed.all_reduce(tensor)
            assert tensor.device.type == device


def test_a_group_for_the_host_refuses_tensors_of_devices(group: Any) -> None:
    with (
        Simulation("cuda"),
        group("cpu:gloo"),
        pytest.raises(RuntimeError, match="No backend type associated with device type cuda"),
    ):
        distributed.all_reduce(torch.ones(2, device="cuda"))


def test_without_a_backend_the_accelerator_has_one(group: Any) -> None:
    """`BackendConfig`: the backend of the accelerator that is found, and none for the CPU."""
    with Simulation("cuda"), group(None):
        distributed.all_reduce(torch.ones(2, device="cuda"))
        with pytest.raises(RuntimeError, match=ON_HOST):
            distributed.all_reduce(torch.ones(2))


def test_a_group_for_the_host_beside_nccl_takes_host_tensors(group: Any) -> None:
    with Simulation("cuda"), group("nccl"):
        beside = distributed.new_group(backend="gloo")
        distributed.all_reduce(torch.ones(2), group=beside)
        with pytest.raises(RuntimeError, match=ON_HOST):
            distributed.all_reduce(torch.ones(2), group=distributed.new_group())


def test_a_group_says_what_was_asked_for(group: Any) -> None:
    with Simulation("cuda"), group("nccl", device_id=torch.device("cuda:0")):
        assert distributed.get_backend() == "nccl"
        assert distributed.get_backend(distributed.new_group()) == "nccl"
        assert distributed.get_backend_config() == "cuda:nccl"
    with Simulation("cuda"), group("cpu:gloo,cuda:nccl"):
        assert distributed.get_backend_config() == "cpu:gloo,cuda:nccl"


def test_objects_and_barriers_need_no_tensor_of_the_programs(group: Any) -> None:
    with Simulation("cuda"), group("nccl"):
        distributed.barrier()
        found: list[Any] = [None]
        distributed.all_gather_object(found, {"loss": 1})
        assert found == [{"loss": 1}]
        distributed.broadcast_object_list(found)


def test_a_run_that_logs_mismatches_goes_on(group: Any) -> None:
    tensor = torch.ones(2)
    with devlint.simulate("cuda"), group("nccl"), devlint.guard(mismatch="log"):
        distributed.all_reduce(tensor)
    assert tensor.tolist() == [1.0, 1.0]


def test_everything_is_as_before(group: Any) -> None:
    has_nccl = distributed.is_nccl_available()
    with Simulation("cuda"):
        assert distributed.is_nccl_available()
    with group("gloo"):
        distributed.all_reduce(torch.ones(2))
        assert distributed.get_backend() == "gloo"
    assert distributed.is_nccl_available() == has_nccl
