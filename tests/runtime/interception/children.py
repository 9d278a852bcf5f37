"""The work of child processes in the tests, in a module because a spawned process imports it."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import torch
from torch.utils.data import Dataset

from devlint.model import Cause, Confidence, Synchronization
from devlint.runtime.policy.active_guards import ask
from devlint.runtime.policy.levels import DisallowedError
from devlint.runtime.session.observation import shared


def wait() -> None:
    """Ask for a wait as the observer does. A forked process cannot use a device that its parent has used."""
    site = shared().sites.at(sys._getframe(1))
    event = Synchronization(site, None, Confidence.SEEN, "torch.Tensor.item", Cause.HOST_READ, None)
    key = ("wait", site)
    ask("sync", site, key, lambda: event, lambda: "it waits").count(key, lambda: event)


def read() -> None:
    """Wait for a simulated device."""
    torch.ones(3, device="cuda").sum().item()


def wait_and_read_often() -> None:
    for _ in range(3):
        wait()


def read_often() -> None:
    for _ in range(3):
        read()


def wait_where_it_is_not_allowed() -> None:
    try:
        wait()
    except DisallowedError:
        sys.exit(REFUSED)


REFUSED = 7
"""The exit code of a process that was not allowed to wait."""


def wait_and_die(mark: str) -> None:
    wait()
    Path(mark).touch()
    os.kill(os.getpid(), signal.SIGKILL)


def do_nothing() -> None:
    """Nothing to report."""


class Waiting(Dataset[torch.Tensor]):
    """Items that the host waits for."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, _: int) -> torch.Tensor:
        wait()
        return torch.ones(2)


class Reading(Dataset[torch.Tensor]):
    """Items that are read from a simulated device."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, _: int) -> torch.Tensor:
        read()
        return torch.ones(2)
