"""Measures how long a check of many files takes on a Dask cluster, by the number of workers.

`python -m tests.benchmarks.workers [--files 100000] [--workers 1 3]` writes so many short files that import a
helper of their folder, starts a cluster on this machine with each number of workers, one thread each, and
prints the seconds of `devlint check --scheduler`, without a cache.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from distributed import LocalCluster

FILES_IN_A_FOLDER = 200
BASE = "import torch\n\n\ndef noise(n):\n    return torch.randn(n)\n"
PLAIN = """\
import torch
from {folder}.base import noise

x = torch.ones({number}, device="cuda")
print(x + noise({number}).cuda())
"""
BUG = PLAIN.replace(".cuda())", ")")
ONE_BUG_IN = 10


def write(folder: Path, files: int) -> int:
    """Write so many files, and give the number of bugs in them."""
    bugs = 0
    for number in range(files):
        package = folder / f"package{number // FILES_IN_A_FOLDER}"
        if number % FILES_IN_A_FOLDER == 0:
            package.mkdir()
            (package / "__init__.py").touch()
            (package / "base.py").write_text(BASE)
        is_bug = number % ONE_BUG_IN == 0
        bugs += is_bug
        text = (BUG if is_bug else PLAIN).format(folder=package.name, number=number + 1)
        (package / f"file{number}.py").write_text(text)
    return bugs


def check(folder: Path, workers: int) -> tuple[float, int]:
    """The seconds of one check on so many workers, and the number of its findings."""
    command = ["-m", "devlint", "check", "--no-cache", "--isolated", "--output-format", "json", "--scheduler"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address="", silence_logs=logging.CRITICAL
    ) as cluster:
        begun = perf_counter()
        done = subprocess.run(
            (sys.executable, *command, cluster.scheduler_address, "."),
            cwd=folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        seconds = perf_counter() - begun
    if done.returncode != 1:
        raise RuntimeError(done.stderr)
    return seconds, len(json.loads(done.stdout))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print, a line for each number of workers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 3])
    parsed = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        bugs = write(Path(name), parsed.files)
        for workers in parsed.workers:
            seconds, findings = check(Path(name), workers)
            took = f"{parsed.files:,} files, {workers} workers: {seconds:.0f} s"
            print(f"{took}, {findings:,} findings for {bugs:,} bugs", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
