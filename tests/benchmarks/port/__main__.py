"""Ports public programs and runs them: `python -m tests.benchmarks.port DIRECTORY`. See ../README.md."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from tests.benchmarks.agreement.store import Store
from tests.benchmarks.port.trial import Trial, trial
from tests.benchmarks.programs import catalogue

PROGRAMS = Path(__file__).with_name("programs.toml")


def main(arguments: list[str] | None = None) -> int:
    """Port, run, compare, and print a table."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.port", description=__doc__)
    parser.add_argument("directory", type=Path, help="where all is put that programs need")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these programs only")
    parser.add_argument("--mirror", type=Path, help="a folder with git directories, in place of GitHub")
    chosen = parser.parse_args(arguments)
    listed = catalogue.read(PROGRAMS)
    paths = ported_paths()
    store = Store(chosen.directory, listed, chosen.mirror)
    store.install()
    trials = []
    for program in listed.choose(chosen.only):
        trials.append(trial(program, paths[program.name], store))
        _say(trials[-1])
    print("\n" + "\n".join(_table(trials)))  # noqa: T201
    return int(any(each.outcome != "equal" or each.findings for each in trials))


def ported_paths() -> dict[str, list[str]]:
    """The part of each program's repository that is ported, relative to the directory in which it runs."""
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    found: dict[str, list[str]] = toml.loads(PROGRAMS.read_text("utf-8"))["ported"]
    return found


def _say(each: Trial) -> None:
    lines = [
        f"{each.program.name}: {each.outcome}",
        f"  before, on the CPU: {each.before_on_cpu.failure or 'runs'}",
        *(f"  {left}" for left in each.left),
        *(f"  {finding}" for finding in each.findings),
    ]
    print("\n".join(lines), flush=True)  # noqa: T201


def _table(trials: list[Trial]) -> list[str]:
    rows = [
        "| program | files changed | lines | left | before, on the CPU | lines printed | values | DL4 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in trials:
        cells = (
            f"[{each.program.source}](https://github.com/{each.program.source}): `{each.program.command[0]}`",
            each.changed,
            each.lines,
            len(each.left),
            "raises" if each.before_on_cpu.failure else "runs",
            len(each.cpu.lines),
            each.outcome,
            len(each.findings),
        )
        rows.append(f"| {' | '.join(str(cell) for cell in cells)} |")
    return rows


if __name__ == "__main__":
    sys.exit(main())
