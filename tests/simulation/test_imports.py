"""Tests of modules that torch imports while devices are simulated."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAMS = {
    # Dynamo imports functions of a CUDA build wherever torch says that it is one.
    "dynamo in a build without CUDA": "import torch._dynamo.device_interface\n",
    # Dynamo compares the signature of `torch.Tensor`'s constructor with that of its substitute.
    "dynamo after the default tensor type is set": (
        "torch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
        "import torch._dynamo\n"
        "assert str(torch.Tensor(2).device) == 'cuda:0'\n"
    ),
    # TorchScript compiles them, with the functions that step parameters, when they are imported.
    "functional optimizers": "import torch.distributed.optim\n",
}
FORKING = """\
import os, sys, torch
from devlint.simulation import Simulation
for program in sys.argv[1:]:
    child = os.fork()
    if not child:
        with Simulation("cuda", 1):
            exec(program)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs programs in forks of a process that has imported torch."""


@pytest.fixture(scope="module")
def codes() -> dict[str, int]:
    """The exit codes of the programs."""
    command = [sys.executable, "-c", FORKING, *PROGRAMS.values()]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(zip(PROGRAMS, map(int, done.stdout.split()), strict=True))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is forked")
@pytest.mark.parametrize("name", PROGRAMS)
def test_modules_are_imported_while_devices_are_simulated(name: str, codes: dict[str, int]) -> None:
    assert codes[name] == 0
