"""Removes code from programs and checks them: `python -m tests.benchmarks.planted DIRECTORY`.

It uses the programs that `python -m tests.benchmarks.agreement DIRECTORY` has run; see ../README.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.benchmarks.agreement import truth
from tests.benchmarks.agreement.options import chosen, command, opened, say
from tests.benchmarks.agreement.store import Store
from tests.benchmarks.planted import plant
from tests.benchmarks.planted.forks import Forks
from tests.benchmarks.planted.score import Outcome, judge
from tests.benchmarks.programs.catalogue import Program

LIMIT = 10
"""The most edits of one program."""


def known(program: Program, store: Store) -> truth.Truth | None:
    """The result of a program's run; None if it was not run, or failed."""
    path = store.truth(program)
    shown = truth.read(path) if path.exists() else None
    return shown if shown is not None and not shown.ended else None


def kept(program: Program, store: Store) -> Path:
    """The file with the results of the mistakes that were planted into a program."""
    return store.directory / "planted" / f"{program.name}.json"


def run(programs: Iterable[Program], store: Store, limit: int) -> None:
    """Plant into those programs into which nothing was planted yet."""
    with Forks(store.python) as forks:
        for program in programs:
            shown = known(program, store)
            if shown is None or kept(program, store).exists():
                continue
            plants = list(plant.plant(program, store, shown, limit, forks))
            plant.write(plants, kept(program, store))
            say(f"{program.name}: {sum(bool(one.raised) for one in plants)} of {len(plants)} raise")


def outcomes(
    programs: Iterable[Program], store: Store, devlint: Path, options: Sequence[str]
) -> Iterator[Outcome]:
    """The check's finding for each planted mistake."""
    for program in programs:
        shown, path = known(program, store), kept(program, store)
        if shown is not None and path.exists():
            yield from judge(plant.read(path), store.pristine(program.source), shown.files, devlint, options)


def table(judged: Sequence[Outcome]) -> Iterator[str]:
    """The number of found mistakes, in all and of each kind."""
    yield "planted bugs that raise in a run: found by the check"
    for kind in ("", *sorted({outcome.plant.kind for outcome in judged})):
        found = [bool(outcome.code) for outcome in judged if kind in ("", outcome.plant.kind)]
        share = f"{sum(found) / len(found):.2f}" if found else "-"
        yield f"  {kind or 'all':<16} {sum(found):>5} of {len(found):>5}  {share}"


def main(arguments: list[str] | None = None) -> int:
    """Plant what has not been planted, check, and print."""
    parser = command("tests.benchmarks.planted", __doc__)
    parser.add_argument(
        "--limit", type=int, default=LIMIT, metavar="N", help=f"at most so many a program ({LIMIT})"
    )
    parser.add_argument("--missed", action="store_true", help="list what is not found")
    options = parser.parse_args(arguments)
    store = opened(options)
    programs = chosen(options, store)
    if not options.cached:
        run(programs, store, options.limit)
    judged = list(outcomes(programs, store, options.devlint.absolute(), options.options.split()))
    for line in table(judged):
        say(line)
    for line in missed(judged) if options.missed else ():
        say(line)
    return 0


def missed(judged: Sequence[Outcome]) -> Iterator[str]:
    """The mistakes that the check does not find."""
    for outcome in judged:
        if not outcome.code:
            one = outcome.plant
            yield f"{one.program}: {one.path}:{one.line}: {one.kind}, raises at {one.raised}: {one.error}"


if __name__ == "__main__":
    sys.exit(main())
