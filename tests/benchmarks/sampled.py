"""Compares runs in which some steps are observed with runs in which all are: findings and their counts.

`python -m tests.benchmarks.sampled DIRECTORY` runs the programs that `python -m tests.benchmarks.agreement`
keeps in the directory twice on simulated devices: with `--every 1`, and with `--every auto`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.agreement.observe import launch
from tests.benchmarks.agreement.options import chosen, command, opened, say
from tests.benchmarks.agreement.reading import findings
from tests.benchmarks.agreement.store import Store
from tests.benchmarks.agreement.truth import Place
from tests.benchmarks.programs.catalogue import Program

STEPS = 400
"""Optimizer steps after which a program is stopped: several blocks with one observed step each."""
SECONDS = 600
"""Seconds of processor time after which a run is stopped; such a run cannot be compared."""
TOLERANCE = 0.1
"""The tolerance of a count."""
Key = tuple[str, Place]
Found = dict[Key, int]
"""The count of each rule at each place."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The findings of two runs of a program."""

    program: str
    every: Found
    some: Found
    failure: str = ""
    """Why there is nothing to compare."""

    @property
    def missed(self) -> list[Key]:
        """Found if every step is observed, and not if some are."""
        return [key for key in self.every if key not in self.some]

    @property
    def added(self) -> list[Key]:
        """Found if some steps are observed, and not if all are."""
        return [key for key in self.some if key not in self.every]

    @property
    def off(self) -> list[Key]:
        """Found in both, and counted otherwise by more than the tolerance."""
        return [
            key
            for key, count in self.every.items()
            if key in self.some and abs(self.some[key] - count) > TOLERANCE * count
        ]

    @property
    def agrees(self) -> bool:
        """Whether both runs report the same."""
        return not (self.failure or self.missed or self.added or self.off)


def found(program: Program, store: Store, every: str, steps: int) -> tuple[Found, str]:
    """What a run finds in the program's own files, and how it failed, or nothing.

    A program may end with an error of its own; what it did before is found.
    """
    store.prepare(program)
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        options = ["--every", every, "--output-format", "json", "--output-file", str(report)]
        bounds = {"PROGRAM_STEPS": str(steps), "PROGRAM_SECONDS": str(SECONDS)}
        failure = launch(program, store, options, bounds)
        text = report.read_text("utf-8") if report.exists() else ""
    counts: Counter[Key] = Counter()
    for each in findings(text, store.checkout(program)):
        counts[each.code, each.place] += each.count
    return dict(counts), "" if text else failure or "no report"


def compare(program: Program, store: Store, steps: int) -> Comparison:
    """Run a program twice."""
    (every, failed), (some, failed_too) = (found(program, store, how, steps) for how in ("1", "auto"))
    return Comparison(program.name, every, some, failed or failed_too)


def lines(one: Comparison) -> Iterator[str]:
    """A line of the table, and one for each difference."""
    if one.failure:
        yield f"{one.program:<28} {one.failure.splitlines()[-1]}"
        return
    numbers = f"{len(one.every):>5} {len(one.missed):>6} {len(one.added):>5} {len(one.off):>4}"
    yield f"{one.program:<28} {numbers}"
    for what, keys in (("missed", one.missed), ("added", one.added), ("off", one.off)):
        for code, place in keys:
            counts = f"{one.every.get((code, place), 0)} and {one.some.get((code, place), 0)} times"
            yield f"    {what}: {place.path}:{place.first} {code}, {counts}"


def main(arguments: list[str] | None = None) -> int:
    """Run, compare, and print. Returns 1 if a program's runs differ."""
    parser = command("tests.benchmarks.sampled", __doc__)
    parser.add_argument(
        "--steps", type=int, default=STEPS, metavar="N", help=f"stop after so many optimizer steps ({STEPS})"
    )
    options = parser.parse_args(arguments)
    store = opened(options)
    say(f"{'program':<28} {'found':>5} {'missed':>6} {'added':>5} {'off':>4}")
    compared = []
    for program in chosen(options, store):
        compared.append(compare(program, store, options.steps))
        for line in lines(compared[-1]):
            say(line)
    agreeing = sum(one.agrees for one in compared)
    say(f"{agreeing} of {len(compared)} programs: the same findings, counts within {TOLERANCE:.0%}")
    return 0 if agreeing == len(compared) else 1


if __name__ == "__main__":
    sys.exit(main())
