"""Times devlint's check and LibCST's parser: `python -m tests.benchmarks.check_speed DIRECTORY`.

README.md describes what is measured, and how.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time

import libcst

from devlint.pipeline.session.file import examine_data
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import Task
from devlint.project.discover import SourceFile
from devlint.project.settings import Options, Settings, resolve
from tests.benchmarks import commands, memory, together, whole
from tests.benchmarks.corpus import HOW_TO_GET_ONE, Program, read
from tests.benchmarks.stages import timed_stages

SLOWEST = 10
CANDIDATES = 60
COMMAND_FILES = 1000
"""The number of files for whole commands, by default."""
REPEATS = 3
LONG_ENOUGH = 0.01
"""Seconds that LibCST takes for a file that is named among the slowest: shorter ones are mostly noise."""
WARM_UP = "import torch\n\nx = torch.rand(3, device='cuda')\nx + torch.rand(3)\n"
"""A program with a finding, so that every stage has been loaded when measuring begins."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One file's seconds of processor time."""

    program: Program
    parse: float
    """LibCST's parse; 0 where it was not asked for."""
    check: float
    """devlint's check."""

    @property
    def ratio(self) -> float:
        """The time of the check as a multiple of LibCST's parse."""
        return self.check / self.parse


@dataclass(frozen=True, slots=True)
class Result:
    """The measurements."""

    torch: list[Measured]
    """The files that import torch."""
    others: list[Measured]
    stages: dict[str, float]
    """Seconds by stage of the check, of the files that import torch."""
    refused: list[Program]
    """The files that import torch and that LibCST cannot parse: they are left out."""
    slowest: list[Measured]
    """The files with the highest ratios, at their best of `REPEATS` measurements."""


def measure(programs: Sequence[Program]) -> Result:
    """Measure every file, alternating which of the two comes first."""
    settings = resolve(Options(), Path(), Options(), Path())
    result = Result([], [], {}, [], [])
    libcst.parse_module(WARM_UP)
    session = CheckSession(Task())
    _check_seconds(Program(Path("warm_up.py"), WARM_UP.encode(), WARM_UP), settings, session)
    with timed_stages() as stages:
        for program in programs:
            if program.imports_torch:
                _measure_both(program, settings, session, result, parse_first=len(result.torch) % 2 == 0)
        result.stages.update(stages)
    for program in programs:
        if not program.imports_torch:
            result.others.append(Measured(program, 0.0, _check_seconds(program, settings, session)))
    result.slowest.extend(_slowest(result.torch, settings))
    return result


def _slowest(files: Sequence[Measured], settings: Settings) -> list[Measured]:
    """The slowest by ratio, measured anew: one full run of the garbage collector outweighs a short file."""
    long_ones = [file for file in files if file.parse >= LONG_ENOUGH]
    candidates = sorted(long_ones, key=lambda file: file.ratio, reverse=True)[:CANDIDATES]
    anew = [_best(file.program, settings) for file in candidates]
    return sorted(anew, key=lambda file: file.ratio, reverse=True)[:SLOWEST]


def _best(program: Program, settings: Settings) -> Measured:
    parse = min(_parse_seconds(program) for _ in range(REPEATS))
    return Measured(
        program, parse, min(_check_seconds(program, settings, CheckSession(Task())) for _ in range(REPEATS))
    )


def _measure_both(
    program: Program, settings: Settings, session: CheckSession, result: Result, *, parse_first: bool
) -> None:
    try:
        if parse_first:
            parse, check = _parse_seconds(program), _check_seconds(program, settings, session)
        else:
            check, parse = _check_seconds(program, settings, session), _parse_seconds(program)
    except libcst.ParserSyntaxError:
        result.refused.append(program)
    else:
        result.torch.append(Measured(program, parse, check))


def _parse_seconds(program: Program) -> float:
    """LibCST's parse, and freeing the tree, as a check frees it too."""
    start = process_time()
    libcst.parse_module(program.text)
    return process_time() - start


def _check_seconds(program: Program, settings: Settings, session: CheckSession) -> float:
    """devlint's whole check, but for reading the file from disk; with reading the files that it leads to and
    that the session does not know yet.

    Raises:
        RuntimeError: if devlint fails; what it takes to fail is nothing to measure.
    """
    file = SourceFile(program.path, settings)
    start = process_time()
    outcome = examine_data(program.data, file, str(program.path), session)
    session.done(program.path)
    spent = process_time() - start
    if outcome.failure:
        raise RuntimeError(outcome.failure)
    return spent


def report(result: Result, directory: Path) -> str:
    """The measurements as text."""
    if not result.torch:
        return f"no file below {directory} imports torch; {HOW_TO_GET_ONE}\n"
    parse = sum(file.parse for file in result.torch)
    check = sum(file.check for file in result.torch)
    others = sum(file.check for file in result.others)
    lines = sum(file.program.lines for file in result.torch)
    other_lines = sum(file.program.lines for file in result.others)
    text = [
        f"files that import torch   {len(result.torch):>9,}   lines {lines:>10,}",
        f"  libcst.parse_module     {parse:>9.2f} s",
        f"  devlint's check         {check:>9.2f} s",
        f"  ratio                   {check / parse:>9.2f}     median of files {_median(result.torch):.2f}",
        f"files that do not         {len(result.others):>9,}   lines {other_lines:>10,}",
        f"  devlint's check         {others:>9.2f} s",
        "all files, against libcst.parse_module on those that import torch",
        f"  ratio                   {(check + others) / parse:>9.2f}",
        *_stage_lines(result.stages, check, parse),
        *_slowest_lines(result.slowest, directory),
        *_memory_lines(),
    ]
    if result.refused:
        text.append(f"left out, because LibCST cannot parse them: {len(result.refused)}")
    return "\n".join(text) + "\n"


def _median(files: Sequence[Measured]) -> float:
    return median(file.ratio for file in files)


def _stage_lines(stages: dict[str, float], check: float, parse: float) -> list[str]:
    shares = {**stages, "freeing, and the rest": check - sum(stages.values())}
    return [
        "stages of the check, of files that import torch; against libcst.parse_module",
        *(f"  {stage:<22}  {spent:>9.2f} s {spent / parse:>8.3f}" for stage, spent in shares.items()),
    ]


def _slowest_lines(slowest: Sequence[Measured], directory: Path) -> list[str]:
    return [
        f"slowest by ratio, of files that take LibCST {LONG_ENOUGH * 1000:.0f} ms or more; best of {REPEATS}",
        *(
            f"  {file.ratio:>6.2f}  {file.check * 1000:>7.0f} ms  {file.program.path.relative_to(directory)}"
            for file in slowest
        ),
    ]


def _memory_lines() -> list[str]:
    """The most memory that the process has held, which includes the corpus."""
    peak = memory.peak()
    return [] if peak is None else [f"peak memory of the process {peak:>8.0f} MiB"]


def _bind_to_one_core() -> None:
    """Bind the process to one core, where the system allows it, so that a second core neither helps nor
    disturbs."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def _write(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    """Measure and print. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.check_speed", description=__doc__)
    parser.add_argument("directory", type=Path, nargs="?", metavar="DIRECTORY", help="where the corpus is")
    parser.add_argument("--files", type=int, metavar="N", help="measure N files, chosen at random")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="what the choice starts from")
    parser.add_argument("--commands", action="store_true", help="whole commands side by side instead")
    parser.add_argument(
        "--together", action="store_true", help="all files, each by itself and among the others, instead"
    )
    parser.add_argument(
        "--whole", action="store_true", help="each folder as one command checks it, in one process, instead"
    )
    parser.add_argument("--torchfix", metavar="PROGRAM", help="where TorchFix is, to measure it too")
    options = parser.parse_args(arguments)
    if options.directory is None or not options.directory.is_dir():
        sys.stderr.write(f"no corpus: {HOW_TO_GET_ONE}\n")
        return 2
    if options.commands:
        programs = read(options.directory, None, options.seed)
        _write(commands.report(programs, options.files or COMMAND_FILES, options.seed, options.torchfix))
        return 0
    if options.whole:
        _bind_to_one_core()
        _write(whole.report(whole.measure(options.directory), options.directory))
        return 0
    programs = read(options.directory, options.files, options.seed)
    _bind_to_one_core()
    if options.together:
        sys.stdout.write(together.report(together.measure(programs)))
        return 0
    sys.stdout.write(report(measure(programs), options.directory))
    return 0


if __name__ == "__main__":
    sys.exit(main())
