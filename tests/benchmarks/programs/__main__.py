"""Runs whole programs on the CPU and on simulated devices: `python -m tests.benchmarks.programs DIRECTORY`.

See README.md for what is compared, and what is fetched into the directory.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.programs import catalogue
from tests.benchmarks.programs.catalogue import Program
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


def succeeds(program: Program, store: Store, folder: Path | None) -> bool:
    """Try one program, print its line, and say whether both runs printed the same."""
    try:
        trial = Trial(program, run_on_cpu(program, store), run_simulated(program, store))
    except subprocess.CalledProcessError as error:
        sys.stdout.write(f"{program.name:<34} could not be fetched: {error}; {error.stderr}\n")
        return False
    if folder:
        keep(trial, folder)
    sys.stdout.write(row(trial) + "\n")
    sys.stdout.flush()
    return trial.outcome == EQUAL


def main(arguments: list[str] | None = None) -> int:
    """Run all programs, or those that are named. Returns the exit code: 1 if any does not come out equal."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.programs", description=__doc__)
    parser.add_argument("directory", type=Path, metavar="DIRECTORY")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="this program; repeatable"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write down here what was printed")
    options = parser.parse_args(arguments)
    listed = catalogue.read()
    store = Store(options.directory.absolute(), listed)
    try:
        programs = listed.choose(options.only)
        store.install()
    except (LookupError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f"{'program':<34} {'on CPU':>8} {'ratio':>7} {'findings':>9}  outcome\n")
    equal = sum(succeeds(program, store, options.keep) for program in programs)
    sys.stdout.write(f"{equal} of {len(programs)} equal\n")
    return 0 if equal == len(programs) else 1


if __name__ == "__main__":
    sys.exit(main())
