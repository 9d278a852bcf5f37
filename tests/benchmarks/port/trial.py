"""Ports one program, and runs it before and after."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from tests.benchmarks.agreement.observe import SETTINGS, STANDINS
from tests.benchmarks.agreement.store import Store
from tests.benchmarks.programs.catalogue import Program
from tests.benchmarks.programs.fetch import ROOT
from tests.benchmarks.programs.trial import Run, comparable

PATIENCE = 900
"""Seconds after which a run is given up."""
SIMULATED = ("-m", "devlint", "run", "--simulate", "cuda", "--isolated", "--output-file", os.devnull)
LEFT = re.compile(r"^\S.*:\d+:\d+: .* stays: .*$", re.MULTILINE)
"""A place that `devlint port` leaves."""
CHANGED = re.compile(r"^Changed (\d+) files?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Trial:
    """The result for one program."""

    program: Program
    before: Run
    """As its author left it, on simulated devices."""
    before_on_cpu: Run
    changed: int
    """The number of changed files."""
    lines: int
    """The number of added or changed lines."""
    left: tuple[str, ...]
    """The lines with which places were left."""
    again: str
    """The changes of a second port; empty if there are none."""
    cpu: Run
    simulated: Run
    findings: tuple[str, ...]
    """The findings of `devlint check --select DL4` after the port."""

    @property
    def outcome(self) -> str:
        """The outcome, in a few words."""
        for where, run in (
            ("before, simulated", self.before),
            ("ported, on the CPU", self.cpu),
            ("ported, simulated", self.simulated),
        ):
            if run.failure:
                return f"{where}: {run.failure}"
        if not self.cpu.lines:
            return "prints nothing"
        if self.again:
            return "a second port changes more"
        return (
            _difference(self.cpu, self.simulated, "on the CPU", "simulated")
            or _difference(self.before, self.simulated, "before", "after")
            or "equal"
        )


def _difference(one: Run, other: Run, name: str, other_name: str) -> str:
    for ours, theirs in zip_longest(one.lines, other.lines, fillvalue="(nothing)"):
        if ours != theirs:
            return f"{ours!r} {name}, {theirs!r} {other_name}"
    return ""


def trial(program: Program, paths: Sequence[str], store: Store) -> Trial:
    """Run a program as it is, port it, and run it again.

    Raises:
        subprocess.CalledProcessError: it could not be fetched.
    """
    store.prepare(program)
    before_on_cpu = _run(program, store, ())
    store.prepare(program)
    before = _run(program, store, SIMULATED)
    said, lines = _ported(program, paths, store)
    again = _devlint(store.home(program), "port", "--isolated", *paths).stdout
    findings = _devlint(
        store.home(program), "check", "--isolated", "--no-cache", "--select", "DL4", "-q",
        "--output-format", "concise", *paths,
    ).stdout.splitlines()  # fmt: skip
    cpu = _run(program, store, ())
    _ported(program, paths, store)
    simulated = _run(program, store, SIMULATED)
    changed = CHANGED.search(said)
    return Trial(
        program,
        before,
        before_on_cpu,
        int(changed[1]) if changed else 0,
        lines,
        tuple(LEFT.findall(said)),
        again,
        cpu,
        simulated,
        tuple(findings),
    )


def _ported(program: Program, paths: Sequence[str], store: Store) -> tuple[str, int]:
    """Port a program from a fresh start. Returns what was said, and how many lines the patch adds."""
    store.prepare(program)
    home = store.home(program)
    patch = _devlint(home, "port", "--isolated", *paths).stdout
    added = sum(line.startswith("+") and not line.startswith("+++") for line in patch.splitlines())
    return _devlint(home, "port", "--isolated", "--write", *paths).stderr, added


def _devlint(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "devlint", *arguments]
    return subprocess.run(command, cwd=home, env=variables, capture_output=True, text=True, check=False)


def _run(program: Program, store: Store, launcher: Sequence[str]) -> Run:
    """Run a program in its present state, with its preparation."""
    home = store.home(program)
    variables = {
        **os.environ,
        **SETTINGS,
        "PYTHONPATH": os.pathsep.join(
            str(path.absolute()) for path in (STANDINS, *(home / path for path in program.packages), ROOT)
        ),
        "PATH": os.pathsep.join((str(STANDINS / "bin"), os.environ["PATH"])),
        "PROGRAM_ROOT": str(store.checkout(program).absolute()),
        "PROGRAM_STEPS": str(program.steps),
        "PROGRAM_SECONDS": str(PATIENCE),
        **program.settings,
    }
    errors = ""
    for command in (program.prepare, program.command):
        if not command:
            continue
        try:
            done = subprocess.run(
                [str(store.python.absolute()), *launcher, *command],
                cwd=home,
                env=variables,
                capture_output=True,
                text=True,
                errors="replace",
                stdin=subprocess.DEVNULL,
                check=False,
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired:
            return Run(None, [], "", PATIENCE)
        errors = done.stderr
        if done.returncode:
            break
    printed = done.stdout + "".join(_contents(home, name) for name in program.prints)
    return Run(done.returncode, comparable(printed, program.drops), errors, 0.0)


def _contents(home: Path, name: str) -> str:
    return "".join(path.read_text("utf-8") for path in sorted(home.glob(name)))
