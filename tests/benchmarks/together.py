"""Measures the cost of following imports between the files of a package.

Run it with `python -m tests.benchmarks.check_speed DIRECTORY --together`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import process_time

import libcst

from devlint.pipeline.analysis.text import find_all
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import Task
from devlint.rules import registry
from tests.benchmarks import memory
from tests.benchmarks.corpus import Program

COLLECT_AFTER = 50_000
"""The threshold of the garbage collector, as in the installed command."""
WARM_UP = 200
"""How many files are checked before, chosen evenly, so that what is loaded or looked up once is there."""
ON = frozenset(rule.code for rule in registry.all_rules() if rule.enabled)


@dataclass(frozen=True, slots=True)
class Result:
    """Seconds of processor time for all files."""

    files: int
    alone: float
    """Each file separately."""
    together: float
    """Each file together with the others."""
    parse: float
    """LibCST's parse of each."""
    peaks: tuple[float | None, float | None]
    """MiB that the process had held with the files in memory, and in the end."""


def measure(programs: Sequence[Program]) -> Result:
    """Check and parse the files in their order, one way after the other for each file, so that what slows the
    machine down slows all of them."""
    for program in programs[:: len(programs) // WARM_UP + 1]:
        _by_itself(program)
    ways = (_by_itself, _among_others(CheckSession(Task())), _parse)
    spent = [0.0, 0.0, 0.0]
    start, before = memory.peak(), gc.get_threshold()
    gc.set_threshold(COLLECT_AFTER)
    try:
        for program in programs:
            for number, way in enumerate(ways):
                spent[number] += _seconds(way, program)
    finally:
        gc.set_threshold(*before)
    alone, together, parse = spent
    return Result(len(programs), alone, together, parse, (start, memory.peak()))


def _seconds(work: Callable[[Program], None], program: Program) -> float:
    start = process_time()
    work(program)
    return process_time() - start


def _by_itself(program: Program) -> None:
    find_all(program.text, str(program.path), ON)


def _among_others(session: CheckSession) -> Callable[[Program], None]:
    def work(program: Program) -> None:
        find_all(program.text, str(program.path), ON, session.place_of(program.path))
        session.done(program.path)

    return work


def _parse(program: Program) -> None:
    with suppress(libcst.ParserSyntaxError):
        libcst.parse_module(program.text)


def report(result: Result) -> str:
    """What was measured, as text."""
    lines = [
        f"{result.files:,} files; processor time, against LibCST, against each by itself",
        _row("each file by itself", result.alone, result),
        _row("among the others", result.together, result),
        _row("libcst.parse_module", result.parse, result),
    ]
    start, end = result.peaks
    if start is not None and end is not None:
        lines.append(f"peak memory of the process {end:>8.0f} MiB, with the files alone {start:.0f} MiB")
    return "\n".join(lines) + "\n"


def _row(name: str, spent: float, result: Result) -> str:
    return f"  {name:<22}{spent:>9.2f} s {spent / result.parse:>8.2f} {spent / result.alone:>8.2f}"
