"""Torch's own machinery for tests of devices runs on simulated devices.

A few operators and modules; `tests/simulation/device_types.py` says how to run more.
"""

from __future__ import annotations

import subprocess
import sys

COMMAND = (
    "-m",
    "devlint",
    "run",
    "--simulate",
    "cuda",
    "--devices",
    "2",
    "-m",
    "tests.simulation.device_types",
)


def test_operators_and_modules() -> None:
    """In a process of its own, because torch remembers which devices there are."""
    run = subprocess.run(
        [sys.executable, *COMMAND, "--operators", "4", "--modules", "2"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "\nRan " in run.stderr
