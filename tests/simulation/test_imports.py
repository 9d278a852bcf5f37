"""Tests of modules that torch imports while devices are simulated."""

from __future__ import annotations

import subprocess
import sys


def test_dynamo_is_imported_in_a_build_without_cuda() -> None:
    """It imports functions of a CUDA build wherever torch says that it is one."""
    program = (
        "from devlint.simulation import Simulation\n"
        "with Simulation('cuda', 1):\n"
        "    import torch._dynamo.device_interface\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_dynamo_is_imported_after_the_default_tensor_type_is_set() -> None:
    """Dynamo compares the signature of `torch.Tensor`'s constructor with that of its substitute."""
    program = (
        "from devlint.simulation import Simulation\n"
        "with Simulation('cuda', 1):\n"
        "    import torch\n"
        "    torch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
        "    import torch._dynamo\n"
        "    assert str(torch.Tensor(2).device) == 'cuda:0'\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_functional_optimizers_are_imported() -> None:
    """TorchScript compiles them, with the functions that step parameters, when they are imported."""
    program = (
        "from devlint.simulation import Simulation\n"
        "with Simulation('cuda', 1):\n"
        "    import torch.distributed.optim\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
