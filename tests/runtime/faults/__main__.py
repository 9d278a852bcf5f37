"""Inject a fault into each function of devlint that a run enters: `python -m tests.runtime.faults`.

`--every 10` takes one of ten functions, beginning with the one that `--offset` counts to, and `--options 3`
those that one set of options enters. What the program notices is listed, and so is what nobody is told of.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

import torch

from devlint.cli import run as run_command
from devlint.pipeline.observed import findings as observed
from devlint.runtime.session import session
from tests.runtime.faults.harness import Done, is_refusal, run_with_fault, steps_of
from tests.runtime.faults.programs import OPTIONS, PROGRAM

PRELOADED = (torch, run_command, observed, session)
"""Imported here so that the forked processes need not import them."""


def run() -> int:
    """Print each fault that changed the program or that was not reported, and the number of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--options", type=int, choices=range(len(OPTIONS)), help="one set; all by default")
    asked = parser.parse_args()
    came: Counter[str] = Counter()
    chosen = OPTIONS if asked.options is None else OPTIONS[asked.options : asked.options + 1]
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        (where / "program.py").write_text(PROGRAM)
        command = (sys.executable, "program.py")
        plain = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
        for options in chosen:
            part = slice(asked.offset, None, asked.every)
            came += _of(options, part, where, Done(plain.returncode, plain.stdout, plain.stderr))
    print(", ".join(f"{count} {what}" for what, count in came.items()), f"of {came.total()}")  # noqa: T201
    return 1 if came["noticed"] else 0


def _of(options: Sequence[str], part: slice, where: Path, plain: Done) -> Counter[str]:
    came: Counter[str] = Counter()
    arguments = [*options, "program.py"]
    steps, began = steps_of(arguments, where), monotonic()
    for step in steps[part]:
        done = run_with_fault(step, arguments, where)
        what = verdict(done, plain)
        came[what] += 1
        if what in ("noticed", "without a trace"):
            last = done.err.splitlines()[-1:] if what == "noticed" else ""
            print(f"{' '.join(options)} {':'.join(map(str, step))} {what}: {done.code} {last}", flush=True)  # noqa: T201
    each = (monotonic() - began) / max(came.total(), 1)
    print(f"{' '.join(options)}: {dict(came)} of {len(steps)} functions, {each:.2f} s each", flush=True)  # noqa: T201
    return came


def verdict(done: Done, plain: Done) -> str:
    """The outcome of a fault."""
    if is_refusal(done):
        return "refused to start"
    if (done.code, done.out) != (plain.code, plain.out):
        return "noticed"
    return "told" if "devlint failed" in done.err else "without a trace"


if __name__ == "__main__":
    sys.exit(run())
