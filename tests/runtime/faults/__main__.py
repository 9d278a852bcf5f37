"""Inject a fault into each function of devlint that a run enters: `python -m tests.runtime.faults`.

`--every 10` takes one of ten functions.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import torch

from devlint.cli import run as run_command
from devlint.pipeline.observed import findings as observed
from devlint.runtime.session import session
from tests.runtime.faults.harness import Done, is_refusal, run_with_fault, steps_of
from tests.runtime.faults.programs import OPTIONS, PROGRAM

PRELOADED = (torch, run_command, observed, session)
"""So that no process has to import them."""


def run() -> int:
    """Print each fault that the program noticed, and how many there were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    every = parser.parse_args().every
    came: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        (where / "program.py").write_text(PROGRAM)
        command = (sys.executable, "program.py")
        plain = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
        for options in OPTIONS:
            came += _of(options, every, where, Done(plain.returncode, plain.stdout, plain.stderr))
    print(", ".join(f"{count} {what}" for what, count in came.items()), f"of {came.total()}")  # noqa: T201
    return 1 if came["noticed"] else 0


def _of(options: Sequence[str], every: int, where: Path, plain: Done) -> Counter[str]:
    came: Counter[str] = Counter()
    arguments = [*options, "program.py"]
    for step in steps_of(arguments, where)[::every]:
        done = run_with_fault(step, arguments, where)
        what = _verdict(done, plain)
        came[what] += 1
        if what == "noticed":
            print(f"{' '.join(options)} {step}: {done.code} {done.err.splitlines()[-1:]}")  # noqa: T201
    print(f"{' '.join(options)}: {dict(came)}")  # noqa: T201
    return came


def _verdict(done: Done, plain: Done) -> str:
    """What came of a fault."""
    if is_refusal(done):
        return "refused to start"
    if (done.code, done.out) != (plain.code, plain.out):
        return "noticed"
    return "told" if "devlint failed" in done.err else "without a trace"


if __name__ == "__main__":
    sys.exit(run())
