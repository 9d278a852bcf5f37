"""Prints found bugs and wrong findings: `python -m tests.benchmarks.accuracy DIRECTORY`.

Three things in one table: bugs planted into real modules, bugs of the past, and findings on real code that a
reader found not worth a fix. The directory is what `fetch_corpus` unpacks.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.benchmarks.accuracy.kinds import KINDS
from tests.benchmarks.accuracy.outcome import ALL, ON, found_by
from tests.benchmarks.accuracy.verdicts import Read, Verdict, read_all
from tests.benchmarks.corpus import HOW_TO_GET_ONE, read
from tests.benchmarks.precision.__main__ import findings, known_verdicts
from tests.historic.case import all_cases


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result for a planted bug."""

    read: Read
    codes: tuple[str, ...]
    """The rules that find it."""

    @property
    def default(self) -> bool:
        """Whether the rules that are on by default find it."""
        return not ON.isdisjoint(self.codes)


def outcome(read: Read, directory: Path) -> Outcome:
    """Plant one bug and check."""
    path = directory / read.path
    text = path.read_bytes().decode("utf-8", "replace")
    planting = read.planted_in(text)
    found = found_by(text, path, planting, ON) or found_by(text, path, planting, ALL)
    return Outcome(read, tuple(sorted({finding.code for finding in found})))


def main(arguments: list[str] | None = None) -> int:
    """Read the arguments, measure, print. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.accuracy", description=__doc__)
    parser.add_argument("directory", type=Path, nargs="?", help="the packages, as fetch_corpus unpacks them")
    parser.add_argument(
        "--missed", action="store_true", help="list the planted bugs that no default rule finds"
    )
    options = parser.parse_args(arguments)
    if options.directory is None or not options.directory.is_dir():
        sys.stderr.write(f"error: {HOW_TO_GET_ONE}\n")
        return 2
    plantings = sorted(read_all())
    with ProcessPoolExecutor() as pool:
        outcomes = list(pool.map(partial(outcome, directory=options.directory), plantings, chunksize=16))
    lines = [*_planted(outcomes), "", _historic(), _false_findings(options.directory)]
    sys.stdout.write("\n".join(lines) + "\n")
    if options.missed:
        sys.stdout.writelines(f"missed: {_named(each)}\n" for each in outcomes if _is_missed(each))
    return 0


def _planted(outcomes: Sequence[Outcome]) -> list[str]:
    """A row for each kind of planting, and one for all."""
    header = f"{'planted':18}{'read':>6}{'bugs':>6}{'found':>14}{'with all rules':>18}"
    rows = [_row(kind, [each for each in outcomes if each.read.kind == kind]) for kind in KINDS]
    copies = [each for each in outcomes if each.read.verdict is Verdict.COPY]
    harmless = [each for each in outcomes if each.read.verdict is Verdict.NONE]
    return [
        header,
        *rows,
        _row("all", outcomes),
        _said_of("only copies", copies),
        _said_of("harmless", harmless),
    ]


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    bugs = [each for each in outcomes if each.read.verdict is Verdict.BUG]
    default, every = sum(each.default for each in bugs), sum(bool(each.codes) for each in bugs)
    return (
        f"{name:18}{len(outcomes):>6}{len(bugs):>6}"
        f"{_share(default, len(bugs)):>14}{_share(every, len(bugs)):>18}"
    )


def _said_of(name: str, outcomes: Sequence[Outcome]) -> str:
    """A row for changes that are not bugs."""
    default, every = sum(each.default for each in outcomes), sum(bool(each.codes) for each in outcomes)
    return f"{name:18}{len(outcomes):>6}{'':>6}{default:>14}{every:>18}"


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.0%})" if whole else "-"


def _historic() -> str:
    cases = [case for case in all_cases() if case.counts]
    found = sum(bool(case.found) for case in cases)
    return f"bugs of the past: {len(cases)}, with all rules found: {_share(found, len(cases))}"


def _false_findings(directory: Path) -> str:
    """How many findings in the original files are known to be wrong, or have not been read."""
    programs = read(directory, None, 0)
    found, known = findings(programs, directory, sorted(ON)), known_verdicts()
    wrong = [place for place in found if place not in known or not known[place].right]
    lines = sum(program.lines for program in programs)
    return (
        f"untouched code: {len(found)} findings in {lines:,} lines, {len(wrong)} of them wrong or not read: "
        f"{1000 * len(wrong) / max(lines, 1):.4f} in 1,000 lines"
    )


def _is_missed(each: Outcome) -> bool:
    return each.read.verdict is Verdict.BUG and not each.default


def _named(each: Outcome) -> str:
    """Its place, the reason why it is a bug, and the rules that would find it if they were on."""
    read, codes = each.read, f"  [{', '.join(each.codes)}]" if each.codes else ""
    return f"{read.kind:16} {read.path}:{read.line}:{read.column}  {read.why}{codes}"


if __name__ == "__main__":
    sys.exit(main())
