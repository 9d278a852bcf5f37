"""Compares `devlint check` with runs of whole programs: `python -m tests.benchmarks.agreement DIRECTORY`.

Programs without a stored run are fetched and run first. ../README.md describes how.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.benchmarks.agreement import table, truth
from tests.benchmarks.agreement.claims import claims
from tests.benchmarks.agreement.observe import observe
from tests.benchmarks.agreement.options import chosen, command, opened, say, say_all
from tests.benchmarks.agreement.score import agreement
from tests.benchmarks.agreement.store import Store
from tests.benchmarks.programs.catalogue import Program


def run(programs: Iterable[Program], store: Store, *, again: bool, simulated: bool = True) -> None:
    """Run the programs without a stored run, and store what the runs show."""
    for program in programs:
        path = store.truth(program)
        if path.exists() and not again:
            continue
        try:
            shown = observe(program, store, simulated=simulated)
        except subprocess.CalledProcessError as error:
            say(f"{program.name} could not be prepared: {error}; {error.stderr}")
            continue
        truth.write(shown, path)
        took = f"{shown.seconds} s, {shown.steps} steps, {shown.batches} batches"
        say(f"{program.name}: {took} {shown.ended[-400:]}")


def judge(
    programs: Iterable[Program], store: Store, devlint: Path, options: list[str]
) -> Iterator[table.Row]:
    """Check the programs whose runs ended, and compare the results."""
    for program in programs:
        path = store.truth(program)
        if not path.exists() or not (shown := truth.read(path)).tells:
            continue
        root = store.pristine(program.source)
        said = claims(root, shown.files, devlint, options)
        yield table.Row(program.name, root, agreement(shown, said, root))


def main(arguments: list[str] | None = None) -> int:
    """Run what has not been run, check, compare, and print."""
    parser = command("tests.benchmarks.agreement", __doc__)
    parser.add_argument(
        "--again", action="store_true", help="run the programs although it is known what they show"
    )
    parser.add_argument(
        "--cuda", action="store_true", help="run them on the GPU of this machine, not on simulated devices"
    )
    parser.add_argument(
        "--missed", action="store_true", help="list lines of the run that the check does not report"
    )
    parser.add_argument("--unconfirmed", action="store_true", help="list what the run does not confirm")
    options = parser.parse_args(arguments)
    store = opened(options)
    try:
        programs = chosen(options, store)
        if not options.cached:
            store.install()
            run(programs, store, again=options.again, simulated=not options.cuda)
    except (LookupError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    rows = list(judge(programs, store, options.devlint.absolute(), options.options.split()))
    lists = ((True, table.table), (options.missed, table.missed), (options.unconfirmed, table.unconfirmed))
    say_all(*(lines(rows) for wanted, lines in lists if wanted))
    return 0


if __name__ == "__main__":
    sys.exit(main())
