"""Measures the cost of checking whole packages, each with one command.

Run it with `python -m tests.benchmarks.check_speed DIRECTORY --whole`.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time

import libcst

from devlint.pipeline.execution.run import Run
from devlint.pipeline.session.task import Task
from devlint.project.configuration import Configurations
from devlint.project.settings import Options
from devlint.report import FORMATS
from tests.benchmarks.corpus import HOW_TO_GET_ONE, Program, read
from tests.benchmarks.stages import timed_stages
from tests.benchmarks.together import COLLECT_AFTER


@dataclass(frozen=True, slots=True)
class Package:
    """Seconds of processor time for one package."""

    name: str
    files: int
    """How many of its files import torch."""
    lines: int
    """How many lines all its files have."""
    parse: float
    """LibCST's parse of the files that import torch."""
    check: float
    """devlint's check of all of them, from the paths to the report."""
    stages: dict[str, float]
    """The seconds of that which each stage takes."""
    findings: int

    @property
    def ratio(self) -> float:
        """How many times LibCST's parse the check takes."""
        return self.check / self.parse


def measure(directory: Path) -> Iterator[Package]:
    """Measure each folder of a directory that has files which import torch."""
    folders = sorted(path for path in directory.iterdir() if path.is_dir())
    packages = [(path, read(path, None, 0)) for path in folders]
    with _collecting_as_the_command():
        for path, programs in packages:  # loads modules before the measurement starts
            if any(program.imports_torch for program in programs):
                _check(path)
                break
        for path, programs in packages:
            found = [program for program in programs if program.imports_torch]
            if found:
                yield _measured(path, programs, found)


def _measured(path: Path, programs: Sequence[Program], found: Sequence[Program]) -> Package:
    """Parse before and after the check, so that what slows the machine down slows both."""
    before = _parse_seconds(found)
    with timed_stages() as stages:
        start = process_time()
        findings = _check(path)
        check = process_time() - start
    parse = (before + _parse_seconds(found)) / 2
    lines = sum(program.lines for program in programs)
    return Package(path.name, len(found), lines, parse, check, dict(stages), findings)


def _check(path: Path) -> int:
    """Check a folder as `devlint check --no-cache --jobs 1` does; how many findings there are.

    Raises:
        RuntimeError: if devlint fails; what it takes to fail is nothing to measure.
    """
    configurations = Configurations(Options(), path, FORMATS, None, True)
    work = Run([str(path)], configurations, Task())
    result = work.result(work.outcomes())
    if result.failures:
        raise RuntimeError(result.failures[0].failure)
    return len(result.report.findings)


def _parse_seconds(programs: Sequence[Program]) -> float:
    """LibCST's parse of each, and freeing the tree."""
    start = process_time()
    for program in programs:
        with suppress(libcst.ParserSyntaxError):
            libcst.parse_module(program.text)
    return process_time() - start


@contextmanager
def _collecting_as_the_command() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(COLLECT_AFTER)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def report(packages: Iterator[Package], directory: Path) -> Iterator[str]:
    """What was measured, line by line, each package when it is known."""
    yield f"{'':<32}{'files':>6}{'lines':>9}{'parse':>10}{'check':>10}{'ratio':>8}{'findings':>10}"
    known: list[Package] = []
    for each in packages:
        known.append(each)
        yield _row(each)
    if not known:
        yield f"no file below {directory} imports torch; {HOW_TO_GET_ONE}"
        return
    whole = _sum(known)
    yield _row(whole)
    yield f"median of packages {median(each.ratio for each in known):.2f}"
    yield "stages of the check, against libcst.parse_module"
    rest = whole.check - sum(whole.stages.values())
    for stage, spent in {**whole.stages, "the rest": rest}.items():
        yield f"  {stage:<22}  {spent:>9.2f} s {spent / whole.parse:>8.3f}"


def _sum(packages: Sequence[Package]) -> Package:
    return Package(
        "all",
        sum(each.files for each in packages),
        sum(each.lines for each in packages),
        sum(each.parse for each in packages),
        sum(each.check for each in packages),
        {stage: sum(each.stages[stage] for each in packages) for stage in packages[0].stages},
        sum(each.findings for each in packages),
    )


def _row(each: Package) -> str:
    return (
        f"{each.name:<32.31}{each.files:>6,}{each.lines:>9,}"
        f"{each.parse:>8.2f} s{each.check:>8.2f} s{each.ratio:>8.2f}{each.findings:>10,}"
    )
