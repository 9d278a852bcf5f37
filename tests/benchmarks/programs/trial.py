"""Runs one program on the CPU and on simulated devices, and compares what the two printed."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from time import perf_counter

from tests.benchmarks.programs.catalogue import Program
from tests.benchmarks.programs.fetch import DRIVERS, Store

STARTUP = Path(__file__).with_name("startup")
PATIENCE = 900
"""Seconds after which a run is given up."""
SIMULATE = ("-m", "devlint", "run", "--simulate", "cuda", "--third-party")
EQUAL = "equal"
RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)\b.*", re.MULTILINE)
"""The last line of a traceback."""
STEPPED_ASIDE = re.compile(r"^.*devlint failed.*", re.MULTILINE)
"""devlint's message when it stops observing the program."""
SEEN = re.compile(r"^In all: .*(?:wait|cop)", re.MULTILINE)
"""The summary's count, if there is anything on a device."""
FOUND = re.compile(r"^Found (\d+) finding", re.MULTILINE)
"""The name under which the summary counts them."""
SETTINGS = {
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "TQDM_DISABLE": "1",
}


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a program."""

    exit_code: int | None
    """None if it was given up."""
    lines: list[str]
    """The output, without the parts that may differ between any two runs."""
    errors: str
    """Its standard error, with devlint's summary."""
    seconds: float

    @property
    def failure(self) -> str:
        """Why it did not end normally; empty if it did."""
        if self.exit_code is None:
            return f"given up after {PATIENCE} s"
        if self.exit_code == 0:
            return ""
        raised = RAISED.findall(self.errors)
        return raised[-1] if raised else f"exit code {self.exit_code}"


@dataclass(frozen=True, slots=True)
class Trial:
    """The result for one program."""

    program: Program
    cpu: Run
    simulated: Run

    @property
    def first_difference(self) -> str:
        """The first line that differs, as printed on the CPU and under simulation; empty if none does."""
        for ours, theirs in zip_longest(self.cpu.lines, self.simulated.lines, fillvalue="(nothing)"):
            if ours != theirs:
                return f"{ours!r} on the CPU, {theirs!r} simulated"
        return ""

    @property
    def ratio(self) -> float:
        """The time of the simulated run, with start and report, as a multiple of the other one."""
        return self.simulated.seconds / self.cpu.seconds

    @property
    def findings(self) -> int:
        """The number of findings in devlint's summary."""
        found = FOUND.findall(self.simulated.errors)
        return int(found[-1]) if found else 0

    @property
    def outcome(self) -> str:
        """The outcome, in a few words."""
        if self.cpu.failure:
            return "fails on the CPU: " + self.cpu.failure
        if self.simulated.failure:
            return "fails: " + self.simulated.failure
        if not self.cpu.lines:
            return "prints nothing"
        return self.first_difference or self.excuse or EQUAL

    @property
    def excuse(self) -> str:
        """Why equal results are not conclusive; empty if they are."""
        if aside := STEPPED_ASIDE.search(self.simulated.errors):
            return aside[0]
        return "" if SEEN.search(self.simulated.errors) else "nothing was on a device"


def run_on_cpu(program: Program, store: Store) -> Run:
    """Run a program from a fresh start, as `python` does where no CUDA is to be found.

    Raises:
        subprocess.CalledProcessError: what it needs could not be fetched or prepared.
    """
    settings = {"PROGRAM_TAKES_CUDA_PATH": "1"} if program.cpu_takes_cuda_path else {}
    return _run(program, store, (), program.cpu, settings)


def run_simulated(program: Program, store: Store) -> Run:
    """Run a program from a fresh start, under `devlint run --simulate cuda`.

    Raises:
        subprocess.CalledProcessError: what it needs could not be fetched or prepared.
    """
    return _run(program, store, SIMULATE, program.cuda, {})


def _run(
    program: Program, store: Store, launcher: Sequence[str], further: Sequence[str], settings: dict[str, str]
) -> Run:
    store.prepare(program)
    home = store.home(program)
    python = str(store.python.absolute())
    packages = os.pathsep.join((str(STARTUP), *(str(home / path) for path in program.packages)))
    environment = {**os.environ, **SETTINGS, **settings, "PYTHONPATH": packages}
    if program.prepare:
        subprocess.run(
            [python, *program.prepare], cwd=home, env=environment, check=True, stdout=subprocess.DEVNULL
        )
    if program.steps:
        environment["PROGRAM_STEPS"] = str(program.steps)
    script, *arguments = program.command
    script = str(DRIVERS / script) if program.is_driver else script
    start = perf_counter()
    try:
        done = subprocess.run(
            [python, *launcher, script, *arguments, *further],
            cwd=home,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return Run(None, [], "", perf_counter() - start)
    seconds = perf_counter() - start
    printed = done.stdout + "".join(_contents(home, name) for name in program.prints)
    return Run(done.returncode, comparable(printed, program.drops), done.stderr, seconds)


def _contents(home: Path, name: str) -> str:
    path = home / name
    return path.read_text("utf-8") if path.exists() else ""


def comparable(printed: str, drops: Sequence[str]) -> list[str]:
    """The lines that were printed, without what matches one of `drops`, and without empty lines."""
    for pattern in drops:
        printed = re.sub(pattern, "", printed)
    return [line.rstrip() for line in printed.splitlines() if line.strip()]
