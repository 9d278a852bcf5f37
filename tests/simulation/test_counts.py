"""Tests of the number of devices that can be simulated, for every entry point except command line options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import devlint
from devlint.model.simulated import MOST_DEVICES, read_device_count
from devlint.runtime.policy.settings import RunSettings
from devlint.simulation import Simulation

WAYS_IN: list[Callable[[Any], object]] = [
    lambda devices: devlint.simulate(devices=devices),
    lambda devices: Simulation(devices=devices),
    lambda devices: RunSettings("cuda", devices),
]


@pytest.mark.parametrize("way_in", WAYS_IN)
@pytest.mark.parametrize("devices", [0, -1, MOST_DEVICES + 1, 99999999999])
def test_a_number_of_devices_that_cannot_be_is_refused(way_in: Callable[[Any], object], devices: int) -> None:
    with pytest.raises(ValueError, match=f"{devices} devices cannot be simulated; there can be 1 to 128"):
        way_in(devices)


@pytest.mark.parametrize("way_in", WAYS_IN)
@pytest.mark.parametrize("devices", ["2", 2.0, None])
def test_what_is_no_whole_number_is_refused(way_in: Callable[[Any], object], devices: object) -> None:
    with pytest.raises(TypeError, match="must be an integer"):
        way_in(devices)


@pytest.mark.parametrize("text", ["", "0", "000", "-1", "1_0", "2.0", "many"])
def test_a_text_that_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a number of devices"):
        read_device_count(text)


def test_as_many_as_torch_can_number_are_there() -> None:
    with devlint.simulate("cuda", devices=MOST_DEVICES):
        last = torch.cuda.device_count() - 1
        assert torch.ones(1, device=f"cuda:{last}").get_device() == MOST_DEVICES - 1
