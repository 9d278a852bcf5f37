"""Runs whole programs on the CPU and on simulated devices: `python -m tests.benchmarks.programs DIRECTORY`.

README.md describes what is compared, and what is fetched into the directory.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.programs import catalogue, table
from tests.benchmarks.programs.catalogue import Program
from tests.benchmarks.programs.fetch import Store
from tests.benchmarks.programs.trial import EQUAL, Trial, run_on_cpu, run_simulated


def keep(trial: Trial, folder: Path) -> None:
    """Write down what both runs printed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, run in (("cpu", trial.cpu), ("simulated", trial.simulated)):
        printed = "\n".join([*run.lines, "", run.errors])
        (folder / f"{trial.program.name}.{name}.txt").write_text(printed, "utf-8")


def attempt(program: Program, store: Store) -> Trial | None:
    """Run one program on the CPU and under simulation; None if it could not be fetched, which is said."""
    try:
        return Trial(program, run_on_cpu(program, store), run_simulated(program, store))
    except subprocess.CalledProcessError as error:
        sys.stdout.write(f"{program.name:<34} could not be fetched: {error}; {error.stderr}\n")
        return None


def main(arguments: list[str] | None = None) -> int:
    """Run all programs, or those that are named. Returns the exit code: 1 if any does not come out equal."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.programs", description=__doc__)
    parser.add_argument("directory", type=Path, metavar="DIRECTORY")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="this program; repeatable"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write down here what was printed")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table for the page here")
    options = parser.parse_args(arguments)
    listed = catalogue.read()
    store = Store(options.directory.absolute(), listed)
    try:
        programs = listed.choose(options.only)
        store.install()
    except (LookupError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f"{table.HEADING}\n")
    trials: list[Trial] = []
    for trial in filter(None, (attempt(program, store) for program in programs)):
        trials.append(trial)
        sys.stdout.write(f"{table.line(trial)}\n")
        sys.stdout.flush()
        if options.keep:
            keep(trial, options.keep)
    equal = sum(trial.outcome == EQUAL for trial in trials)
    sys.stdout.write(f"{equal} of {len(programs)} equal\n")
    if options.markdown:
        rows = (table.markdown_line(trial, listed) for trial in trials)
        options.markdown.write_text("\n".join([table.MARKDOWN_HEADING, *rows, ""]), "utf-8")
    return 0 if equal == len(programs) else 1


if __name__ == "__main__":
    sys.exit(main())
