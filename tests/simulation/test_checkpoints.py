"""A checkpoint remembers the simulated device of each tensor, as it does a real one."""

from __future__ import annotations

from io import BytesIO

import pytest
import torch

from devlint.simulation import Simulation


def saved(*devices: str) -> BytesIO:
    """A checkpoint of a tensor on each device."""
    file = BytesIO()
    torch.save([torch.ones(2, device=device) for device in devices], file)
    file.seek(0)
    return file


def test_tensors_come_back_where_they_were() -> None:
    with Simulation("cuda", 2):
        loaded = torch.load(saved("cuda:1", "cpu"))
        assert [str(tensor.device) for tensor in loaded] == ["cuda:1", "cpu"]


def test_they_come_back_where_they_are_wanted() -> None:
    with Simulation("cuda", 2):
        loaded = torch.load(saved("cuda:1", "cpu"), map_location="cuda:0")
        assert [str(tensor.device) for tensor in loaded] == ["cuda:0", "cuda:0"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="CUDA's checkpoints can be read where CUDA is")
def test_a_machine_without_devices_cannot_read_it_as_it_is() -> None:
    with Simulation("cuda", 1):
        file = saved("cuda")
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device"):
        torch.load(file)
    file.seek(0)
    assert torch.load(file, map_location="cpu")[0].tolist() == [1.0, 1.0]


def test_modules_of_torchscript_come_back_where_they_are_wanted() -> None:
    with Simulation("cuda", 2):
        x = torch.ones(2, 3, device="cuda:1")
        file = BytesIO()
        torch.jit.save(torch.jit.trace(torch.nn.Linear(3, 3).to("cuda:1"), x), file)  # type: ignore[no-untyped-call]
        for place in ("cuda:1", torch.device("cpu")):
            file.seek(0)
            loaded = torch.jit.load(file, map_location=place)  # type: ignore[no-untyped-call]
            assert {parameter.device for parameter in loaded.parameters()} == {torch.device(place)}
        file.seek(0)
        assert torch.jit.load(file, "cuda:1")(x).device == x.device  # type: ignore[no-untyped-call]
