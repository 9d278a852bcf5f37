"""Measures how long after a keystroke an editor shows devlint's findings.

`python -m tests.benchmarks.keystrokes FILE…` opens each file in a real client of the language server, and
types a comment into its middle, again and again. The time is from sending the change to receiving the
diagnostics of that version. The processor's time is the server's own, which a busy machine hardly changes;
it can be had on Linux.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

from tests.integrations.lsp import editor

KEYSTROKES = 40


class Waited(NamedTuple):
    """Seconds from a keystroke to its diagnostics, and those that the server's processor had to do."""

    wall: float
    cpu: float


async def measure(file: Path) -> list[Waited]:
    """The times of some keystrokes, one after the other."""
    text = file.read_text("utf-8")
    waited: list[Waited] = []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(file, folder)
        async with editor(Path(folder)) as window:
            window.open(file.name, text)
            await window.diagnostics(file.name)
            lines = text.splitlines()
            middle = next(at for at in range(len(lines) // 2, len(lines)) if not lines[at].strip())
            version = window.type(file.name, middle, 0, "#\n")
            await window.diagnostics(file.name, version)
            for number in range(KEYSTROKES):
                began, worked = time.perf_counter(), _cpu(window.process_id)
                version = window.type(file.name, middle, 1 + number, "x")
                await window.diagnostics(file.name, version)
                waited.append(Waited(time.perf_counter() - began, _cpu(window.process_id) - worked))
    return waited


def _cpu(process: int) -> float:
    """The seconds of processor's time that a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print a line for each file."""
    for name in sys.argv[1:]:
        waited = asyncio.run(measure(Path(name)))
        wall = sorted(each.wall for each in waited)
        lines = len(Path(name).read_text("utf-8").splitlines())
        print(  # noqa: T201
            f"{Path(name).name}: {lines} lines; median {median(wall) * 1000:.0f} ms, 90th percentile "
            f"{wall[len(wall) * 9 // 10] * 1000:.0f} ms; processor's time, mean "
            f"{mean(each.cpu for each in waited) * 1000:.0f} ms; load {os.getloadavg()[0]:.1f}"
        )


if __name__ == "__main__":
    main()
