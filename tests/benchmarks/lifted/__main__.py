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
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from tests.benchmarks.lifted.outcome import outcome

TOML = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")


def suites(directory: Path) -> dict[str, dict[str, Any]]:
    """The suites that a directory's list names."""
    listed: dict[str, dict[str, Any]] = TOML.loads((directory / "suites.toml").read_text("utf-8"))
    return listed


SUITES = suites(Path(__file__).parent)
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
        given = options(suite)
        plain = run(clone, [f"--junitxml={files[0]}", *given])
        lifted = run(clone, [f"--junitxml={files[1]}", *lifting(suite, files[2])])
        seen = outcome(*files)
    both = len(seen.plain.passed & seen.lifted.passed)
    return (
        f"| {name} | {len(seen.plain.passed)} | {both} | {len(seen.lost)} | "
        f"{', '.join(seen.places) or 'none'} | {lifted / plain:.1f} |"
    )


def options(suite: dict[str, Any]) -> list[str]:
    """The arguments of pytest for a suite."""
    return [*suite.get("options", []), *suite["tests"]]


def lifting(suite: dict[str, Any], report: Path) -> list[str]:
    """The arguments of pytest for a lifted suite."""
    return [
        "--devlint-lift=cuda",
        f"--devlint-lift-package={suite['package']}",
        f"--devlint-lift-json={report}",
        *(f"--devlint-lift-tests={helper}" for helper in suite.get("helpers", ())),
        *options(suite),
    ]


def run(
    clone: Path,
    given: Sequence[str],
    settings: Mapping[str, str] = MappingProxyType({}),
    paths: Sequence[Path] = (),
) -> float:
    """Run a suite; returns the processor time that it took, in seconds.

    Args:
        clone: of the repository.
        given: to pytest.
        settings: further variables of the environment.
        paths: further places to import from.
    """
    before = _spent()
    sources = [Path.cwd(), clone, *paths]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((*map(str, sources), os.environ.get("PYTHONPATH", ""))),
        "OMP_NUM_THREADS": "1",
        **settings,
    }
    subprocess.run(
        [sys.executable, *PYTEST, *given], cwd=clone, env=environment, capture_output=True, check=False
    )
    return _spent() - before


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
