"""Runs suites of public libraries on the CPU and lifted, and prints a line of a table for each.

    python -m tests.benchmarks.lifted FOLDER [NAME ...]

FOLDER holds a clone of each repository of `suites.toml`, at its commit, with what its tests need installed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.benchmarks.lifted.outcome import outcome

TOML = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
SUITES: dict[str, Any] = TOML.loads((Path(__file__).parent / "suites.toml").read_text("utf-8"))
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=")


def main() -> None:
    """Run the suites that are named, or all."""
    parser = ArgumentParser(prog="python -m tests.benchmarks.lifted")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", choices=[*SUITES, []])
    given = parser.parse_args()
    print("| suite | pass on the CPU | pass lifted | lost to lifting | mistakes | processor time |")  # noqa: T201
    print("|---|---|---|---|---|---|")  # noqa: T201
    for name in given.names or SUITES:
        print(row(name, given.folder.resolve() / name), flush=True)  # noqa: T201


def row(name: str, clone: Path) -> str:
    """The line of one suite."""
    suite = SUITES[name]
    with TemporaryDirectory() as folder:
        files = [Path(folder) / file for file in ("plain.xml", "lifted.xml", "lifted.json")]
        given = [*suite.get("options", []), *suite["tests"]]
        lift = (
            "--devlint-lift=cuda",
            f"--devlint-lift-package={suite['package']}",
            f"--devlint-lift-json={files[2]}",
        )
        plain = run(clone, [f"--junitxml={files[0]}", *given])
        lifted = run(clone, [f"--junitxml={files[1]}", *lift, *given])
        seen = outcome(*files)
    both = len(seen.plain.passed & seen.lifted.passed)
    return (
        f"| {name} | {len(seen.plain.passed)} | {both} | {len(seen.lost)} | "
        f"{', '.join(seen.places) or 'none'} | {lifted / plain:.1f} |"
    )


def run(clone: Path, options: list[str]) -> float:
    """Run a suite; returns the processor time that it took, in seconds."""
    before = _spent()
    paths = [str(Path.cwd()), str(clone), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
    subprocess.run(
        [sys.executable, *PYTEST, *options], cwd=clone, env=environment, capture_output=True, check=False
    )
    return _spent() - before


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
