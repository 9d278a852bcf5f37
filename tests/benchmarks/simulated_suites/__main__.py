"""Runs device tests of public libraries on the CPU and on simulated devices, and prints a table.

    python -m tests.benchmarks.simulated_suites FOLDER [NAME ...] [--losses FILE]

FOLDER holds a clone of each repository of `suites.toml`, at its commit, with what its tests need installed.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.benchmarks.lifted.__main__ import options, run, suites
from tests.benchmarks.lifted.outcome import Run, read

SUITES = suites(Path(__file__).parent)
SIMULATING = "--devlint-simulate=cuda"
HEAD = (
    "| suite | pass on the CPU | and simulated | run with a device only | of these pass | processor time |\n"
    "|---|---|---|---|---|---|"
)


def main() -> None:
    """Run the suites that are named, or all."""
    parser = ArgumentParser(prog="python -m tests.benchmarks.simulated_suites")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", choices=[*SUITES, []])
    parser.add_argument("--losses", type=Path, help="lists the tests behind the figures, with their errors")
    given = parser.parse_args()
    print(HEAD, flush=True)  # noqa: T201
    for name in given.names or SUITES:
        plain, simulated, ratio = both(SUITES[name], given.folder.resolve() / name)
        print(row(name, plain, simulated, ratio), flush=True)  # noqa: T201
        if given.losses:
            with given.losses.open("a", encoding="utf-8") as file:
                file.writelines(f"{name}\t{line}\n" for line in losses(plain, simulated))


def both(suite: dict[str, Any], clone: Path) -> tuple[Run, Run, float]:
    """A suite as it is, the same with simulated devices, and the ratio of their processor times."""
    paths = [clone / suite.get("path", ".")]
    given = ["-W", "ignore", *options(suite)]
    with TemporaryDirectory() as folder:
        files = [Path(folder) / file for file in ("plain.xml", "simulated.xml")]
        plain = run(clone, [f"--junitxml={files[0]}", *given], paths=paths)
        simulated = run(clone, [f"--junitxml={files[1]}", SIMULATING, *given], paths=paths)
        return read(files[0]), read(files[1]), simulated / plain


def row(name: str, plain: Run, simulated: Run, ratio: float) -> str:
    """The line of one suite."""
    kept = plain.passed & simulated.passed
    added = (simulated.passed | simulated.failed.keys()) - plain.passed - plain.failed.keys()
    return (
        f"| {name} | {len(plain.passed)} | {len(kept)} | {len(added)} | "
        f"{len(added & simulated.passed)} | {ratio:.1f} |"
    )


def losses(plain: Run, simulated: Run) -> list[str]:
    """Tests that fail with simulated devices and not on the CPU, with their errors; those that vanish."""
    failed = [
        f"{test}\t{error}" for test, error in sorted(simulated.failed.items()) if test not in plain.failed
    ]
    gone = sorted(plain.passed - simulated.passed - simulated.failed.keys())
    return [*failed, *(f"{test}\tdid not run" for test in gone)]


if __name__ == "__main__":
    main()
