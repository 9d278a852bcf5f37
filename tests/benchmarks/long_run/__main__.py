"""Measures long runs: `python -m tests.benchmarks.long_run --calls 5000000`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).with_name("program.py")
TRACE = "trace.jsonl"
WAYS: dict[str, tuple[str, ...]] = {
    "python": (),
    "devlint run": ("run",),
    "devlint run --every 1": ("run", "--every", "1"),
    "devlint run --simulate cuda": ("run", "--simulate", "cuda"),
    "devlint run --trace": ("run", "--trace", TRACE),
    "devlint run --simulate cuda --trace": ("run", "--simulate", "cuda", "--trace", TRACE),
}
"""The ways in which the program is run."""
Told = dict[str, Any]
_HEAD = f"{'calls':>10} {'cpu s':>8} {'MiB':>7} {'objects':>9} {'entries':>8} {'alive':>6} {'trace kB':>9}"


def measure(options: Sequence[str], calls: int, marks: int) -> list[Told]:
    """The measurements of a run at each mark."""
    with tempfile.TemporaryDirectory() as where:
        traced = [TRACE] if TRACE in options else []
        devlint = ("-m", "devlint", *options) if options else ()
        command = [sys.executable, *devlint, str(PROGRAM), str(calls), str(marks), *traced]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
        done = subprocess.run(
            command, cwd=where, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{command} ends with {done.returncode}: {done.stderr[-2000:]}")
        return [json.loads(line) for line in done.stdout.splitlines()]


def growth(first: Told, last: Told) -> dict[str, int]:
    """The tables of devlint's that have more entries at the end than they had at a mark, and by how many."""
    grown = {path: count - first["tables"].get(path, 0) for path, count in last["tables"].items()}
    return {path: more for path, more in grown.items() if more > 0}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table for each way, and the tables of devlint that have grown since the second mark."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.long_run", description=__doc__)
    parser.add_argument("--calls", type=int, default=5_000_000)
    parser.add_argument("--marks", type=int, default=10)
    parser.add_argument("--way", action="append", choices=list(WAYS), help="this alone; repeatable")
    asked = parser.parse_args(arguments)
    for way in asked.way or WAYS:
        told = measure(WAYS[way], asked.calls, asked.marks)
        print(f"\n{way}\n{_HEAD}")  # noqa: T201
        for mark in told:
            print(  # noqa: T201
                f"{mark['calls']:>10,} {mark['cpu']:>8.2f} {mark['resident']:>7.1f} {mark['objects']:>9,}"
                f" {sum(mark['tables'].values()):>8,} {mark['alive']:>6} {mark['trace'] / 1000:>9.1f}",
                flush=True,
            )
        for path, more in growth(told[min(1, len(told) - 1)], told[-1]).items():
            print(f"  {path} has {more} entries more than at the second mark", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
