"""What a record is made on, and what is said of it on every line."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

import numpy as np
import torch

import devlint

_HIDING = {"CUDA_VISIBLE_DEVICES": "", "NULL_GPUS": "0"}
"""What lets NVIDIA's driver show no GPU, and the one that does nothing."""


class Ground(Enum):
    """Where calls are made."""

    CUDA = "CUDA"
    NULL_DRIVER = "a driver that does nothing, not CUDA"
    """torch's CUDA build and no GPU: checks and waits are torch's own, kernels and time are not there."""
    SIMULATED = "simulated devices, not CUDA"

    @property
    def is_rehearsal(self) -> bool:
        """Whether what is seen there is no evidence from CUDA."""
        return self is not Ground.CUDA

    @property
    def label(self) -> str:
        """What stands on each line of a record that is made there."""
        return f"rehearsal on {self.value}" if self.is_rehearsal else self.value


def ground_here(*, rehearse: bool) -> Ground:
    """Where a record would be made on this machine.

    Raises:
        LookupError: there is no CUDA, and a rehearsal is not what is wanted.
    """
    if rehearse:
        return Ground.SIMULATED
    if not torch.cuda.is_available():
        raise LookupError("no CUDA device here: `--rehearse` tries everything on simulated ones")
    null = torch.cuda.get_device_name() == "null"
    return Ground.NULL_DRIVER if null else Ground.CUDA


def header(ground: Ground) -> dict[str, str]:
    """The versions that a record depends on."""
    known = {
        "made on": ground.label,
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "devlint": devlint.__version__,
        "torch": torch.__version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
    }
    if ground is not Ground.SIMULATED:
        known |= {
            "CUDA": str(torch.version.cuda),
            "GPU": torch.cuda.get_device_name(),
            "GPUs": str(torch.cuda.device_count()),
            "driver": _driver(),
        }
    return known


@contextmanager
def environment(ground: Ground) -> Iterator[None]:
    """What processes that are started inside find: one thread each, since there are several of them.

    And no GPU where simulated devices shall be the only ones.
    """
    settings = {"OMP_NUM_THREADS": "1"}
    if ground is Ground.SIMULATED:
        settings |= _HIDING
    before = dict(os.environ)
    os.environ.update(settings)  # devlint: ignore[DL404] it is for processes that are started from here
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _driver() -> str:
    """The version of NVIDIA's driver, as its own tool says it."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return asked.stdout.splitlines()[0].strip()
