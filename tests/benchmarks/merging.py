"""Measures the cost of merging the traces of many ranks: `python -m tests.benchmarks.merging DIRECTORY`.

It writes traces of events at some hundred places, as ranks do that differ in a few, and has `devlint report`
merge them in a process of its own, whose peak memory it prints.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice, repeat
from pathlib import Path
from time import perf_counter

from devlint import __version__
from devlint.runtime.trace.writer import SCHEMA

PLACES = 200
LINES_AT_ONCE = 100_000


def place(number: int) -> str:
    span = {"line": number + 1, "column": 5, "end_line": number + 1, "end_column": 20}
    return json.dumps({"site": number, "path": "/train.py", **span, "function": "main"})


def event(rank: int, number: int, *, measured: bool) -> dict[str, object]:
    """A wait, on the rank's own device; every other one with a time of its own, as on a real device."""
    device = {"is": "Concrete", "type": "cuda", "index": rank}
    operand = {"is": "Operand", "path": "loss", "site": number, "device": device}
    wait: dict[str, object] = {
        "is": "Synchronization",
        "site": number,
        "hot": None,
        "confidence": "seen",
        "operator": "torch.Tensor.item",
        "cause": "the host reads a value",
        "operand": operand,
    }
    return wait | ({"seconds": 1e-6} if measured else {})


def lines(rank: int, ranks: int) -> Iterator[str]:
    """The lines of a trace without end. One place in fifty is passed by the even ranks only."""
    yield json.dumps({"devlint": __version__, "torch": None, "schema": SCHEMA, "rank": rank, "ranks": ranks})
    yield from map(place, range(PLACES))
    numbers = [number for number in range(PLACES) if rank % 2 == 0 or number % 50]
    tails = [json.dumps(event(rank, number, measured=False), separators=(",", ":")) for number in numbers]
    for step, _ in enumerate(repeat(None)):
        for place_, tail in enumerate(tails):
            told = f'{tail[:-1]},"seconds":{(step * PLACES + place_) * 1e-9:.9f}}}' if place_ % 2 else tail
            yield f'{{"at":{step}.5,"step":{step},"batch":0,"forward":false,"event":{told}}}'


def write(path: Path, rank: int, ranks: int, events: int) -> None:
    """A trace of so many events."""
    told = lines(rank, ranks)
    with path.open("w") as file:
        left = events + PLACES + 1
        while left > 0:
            chunk = list(islice(told, min(left, LINES_AT_ONCE)))
            file.write("\n".join(chunk) + "\n")
            left -= len(chunk)
        file.write('{"end":true,"doubt":""}\n')


def main(arguments: list[str] | None = None) -> None:
    """Print how long merging took, in seconds of the processor, and the peak memory of the process."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.merging", description=__doc__)
    parser.add_argument("directory", type=Path, metavar="DIRECTORY")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--events", type=int, default=10_000_000, help="of all ranks together")
    options = parser.parse_args(arguments)
    options.directory.mkdir(parents=True, exist_ok=True)
    traces = [options.directory / f"rank-{rank}.jsonl" for rank in range(options.ranks)]
    for rank, trace in enumerate(traces):
        write(trace, rank, options.ranks, options.events // options.ranks)
    size = sum(trace.stat().st_size for trace in traces) / 1e9
    started = perf_counter()
    command = [sys.executable, "-m", "devlint", "report", *map(str, traces), "--output-format", "concise"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    wall, used = perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    for trace in traces:
        os.unlink(trace)  # noqa: PTH108 - as many as were written
    sys.stdout.write("\n".join(done.stdout.splitlines()[-3:]) + "\n")
    processor = used.ru_utime + used.ru_stime
    sys.stdout.write(
        f"{options.events:,} events of {options.ranks} ranks ({size:.1f} GB): {wall:.0f} s,"
        f" {processor:.0f} s of the processor, {used.ru_maxrss / 1e3:.0f} MB at the peak\n"
    )


if __name__ == "__main__":
    main()
