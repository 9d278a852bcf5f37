"""Runs whole programs on the CPU and on simulated devices: `python -m tests.benchmarks.programs DIRECTORY`.

See README.md for what is compared, and what is fetched into the directory.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.programs import catalogue
from tests.benchmarks.programs.fetch import Store
from tests.benchmarks.programs.trial import EQUAL, Trial, run_on_cpu, run_simulated


def row(trial: Trial) -> str:
    """One program's line of the table."""
    ratio = f"{trial.simulated.seconds / trial.cpu.seconds:.2f}"
    return (
        f"{trial.program.name:<34} {trial.cpu.seconds:6.1f} s {ratio:>7} {trial.findings:>9}  {trial.outcome}"
    )


def keep(trial: Trial, folder: Path) -> None:
    """Write down what both runs printed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, run in (("cpu", trial.cpu), ("simulated", trial.simulated)):
        printed = "\n".join([*run.lines, "", run.errors])
        (folder / f"{trial.program.name}.{name}.txt").write_text(printed, "utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run all programs, or those that are named. Returns the exit code: 1 if any does not come out equal."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.programs", description=__doc__)
    parser.add_argument("directory", type=Path, metavar="DIRECTORY")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="this program; repeatable"
    )
    parser.add_argument("--cpu", action="store_true", help="compare two runs on the CPU instead")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write down here what was printed")
    options = parser.parse_args(arguments)
    listed = catalogue.read()
    store = Store(options.directory.absolute(), listed)
    equal = 0
    try:
        programs = listed.choose(options.only)
        store.install()
    except (LookupError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f"{'program':<34} {'on CPU':>8} {'ratio':>7} {'findings':>9}  outcome\n")
    for program in programs:
        second_run = run_on_cpu if options.cpu else run_simulated
        trial = Trial(program, run_on_cpu(program, store), second_run(program, store))
        if options.keep:
            keep(trial, options.keep)
        equal += trial.outcome == EQUAL
        sys.stdout.write(row(trial) + "\n")
        sys.stdout.flush()
    sys.stdout.write(f"{equal} of {len(programs)} equal\n")
    return 0 if equal == len(programs) else 1


if __name__ == "__main__":
    sys.exit(main())
