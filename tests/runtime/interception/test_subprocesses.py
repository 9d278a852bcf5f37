"""Interpreters that a program starts are observed, or said to be unseen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import devlint
from devlint.runtime.session import observation
from tests.runtime.interception.watching import session, waits

ONE = ["1 Python program that was started by `subprocess` was not observed"]
ROOT = str(Path(__file__).parents[3])
READS = (
    "import torch; x = torch.ones(2, device='cuda'); assert torch.cuda.device_count() == 1; x.sum().item()"
)


@pytest.mark.parametrize("options", [{"env": dict(os.environ)}, {"env": {}, "cwd": "/"}])
def test_a_program_is_observed_and_simulated(options: dict[str, Any]) -> None:
    with session() as found:
        subprocess.run([sys.executable, "-c", READS], check=True, **options)
    assert [operator for operator, _ in waits(found)] == ["torch.Tensor.item"]
    assert observation.shared().remarks == []


def test_programs_of_programs_are_observed() -> None:
    """Without options for either."""
    outer = f"import subprocess, sys, torch; subprocess.run([sys.executable, '-c', {READS!r}], check=True)"
    with session() as found:
        subprocess.run([sys.executable, "-c", outer], check=True)
    assert [operator for operator, _ in waits(found)] == ["torch.Tensor.item"]


@pytest.mark.parametrize("own", ["print('its own')\n", ""])
def test_a_program_finds_its_surroundings_as_they_were(tmp_path: Path, own: str) -> None:
    if own:
        (tmp_path / "sitecustomize.py").write_text(own)
    says = "import os, sys; print(sys.path, sorted(os.environ.items()))"
    told = {"env": {**os.environ, "PYTHONPATH": str(tmp_path)}, "text": True, "capture_output": True}
    plain = subprocess.run([sys.executable, "-c", says], check=True, **told)  # type: ignore[call-overload]
    with devlint.guard():
        observed = subprocess.run([sys.executable, "-c", says], check=True, **told)  # type: ignore[call-overload]
    assert (observed.stdout, observed.stderr) == (plain.stdout, plain.stderr)
    assert plain.stdout.startswith("its own\n") == bool(own)


@pytest.mark.parametrize(
    ("command", "remarks"),
    [
        ([sys.executable, "-c", ""], []),
        ((sys.executable.encode(), b"-c", b""), []),
        ([sys.executable, "-I", "-c", ""], ONE),
        ([sys.executable, "-c", "'torch._inductor'"], []),
        (["true"], []),
    ],
    ids=["python", "bytes", "isolated", "the compiler's", "another"],
)
def test_what_is_not_taken_up_is_remarked_on(command: list[str], remarks: list[str]) -> None:
    with devlint.guard():
        assert subprocess.run(command, check=False).returncode == 0
    assert observation.shared().remarks == remarks


def test_they_are_counted() -> None:
    with devlint.guard():
        for _ in range(2):
            subprocess.run(f"{sys.executable} -I -c ''", shell=True, check=True)
    assert observation.shared().remarks == [
        "2 Python programs that were started by `subprocess` were not observed"
    ]


def test_nothing_is_said_of_what_nobody_watches() -> None:
    with devlint.guard():
        pass
    subprocess.run([sys.executable, "-I", "-c", ""], check=True)
    assert observation.shared().remarks == []
