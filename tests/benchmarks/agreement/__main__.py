"""Holds `devlint check` against runs of whole programs: `python -m tests.benchmarks.agreement DIRECTORY`.

Programs of which it is not yet known what their runs show are fetched and run first. ../README.md says how.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tests.benchmarks.agreement import table, truth
from tests.benchmarks.agreement.claims import claims
from tests.benchmarks.agreement.observe import observe
from tests.benchmarks.agreement.score import agreement
from tests.benchmarks.agreement.store import Store
from tests.benchmarks.programs import catalogue
from tests.benchmarks.programs.catalogue import Program
from tests.benchmarks.programs.fetch import ROOT

CATALOGUE = Path(__file__).with_name("programs.toml")
PARTS: dict[str, Callable[[Program], bool]] = {
    "tuned": lambda program: not program.unread,
    "unread": lambda program: program.unread,
    "all": lambda _: True,
}


def say(line: str) -> None:
    """Print a line, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def choose(programs: Iterable[Program], part: str) -> list[Program]:
    """The programs of a part."""
    return [program for program in programs if PARTS[part](program)]


def run(programs: Iterable[Program], store: Store, *, again: bool) -> None:
    """Run those programs of which it is not known what their runs show, and keep it."""
    for program in programs:
        path = store.truth(program)
        if path.exists() and not again:
            continue
        try:
            shown = observe(program, store)
        except subprocess.CalledProcessError as error:
            say(f"{program.name} could not be prepared: {error}; {error.stderr}")
            continue
        truth.write(shown, path)
        took = f"{shown.seconds} s, {shown.steps} steps, {shown.batches} batches"
        say(f"{program.name}: {took} {shown.ended[-400:]}")


def judge(
    programs: Iterable[Program], store: Store, devlint: Path, options: list[str]
) -> Iterator[table.Row]:
    """Check those programs whose runs came to their end, and hold the two against each other."""
    for program in programs:
        path = store.truth(program)
        if not path.exists() or not (shown := truth.read(path)).tells:
            continue
        root = store.pristine(program.source)
        said = claims(root, shown.files, devlint, options)
        yield table.Row(program.name, root, agreement(shown, said, root))


def main(arguments: list[str] | None = None) -> int:
    """Run what has not been run, check, compare, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.agreement", description=__doc__)
    parser.add_argument("directory", type=Path, metavar="DIRECTORY", help="where all is kept")
    parser.add_argument("--part", choices=PARTS, default="tuned", help="which programs (tuned)")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="this program; repeatable"
    )
    parser.add_argument(
        "--catalogue", type=Path, default=CATALOGUE, metavar="FILE", help="another list of programs"
    )
    parser.add_argument("--mirror", type=Path, metavar="FOLDER", help="git directories, in place of GitHub")
    parser.add_argument(
        "--devlint", type=Path, default=ROOT, metavar="FOLDER", help="the checkout whose check is judged"
    )
    parser.add_argument(
        "--options", default="", metavar="OPTIONS", help="further options of the check, in one word"
    )
    parser.add_argument(
        "--again", action="store_true", help="run the programs although it is known what they show"
    )
    parser.add_argument("--cached", action="store_true", help="run no program")
    parser.add_argument(
        "--missed", action="store_true", help="list lines of the run that the check does not report"
    )
    parser.add_argument("--unconfirmed", action="store_true", help="list what the run does not confirm")
    options = parser.parse_args(arguments)
    listed = catalogue.read(options.catalogue)
    store = Store(options.directory.absolute(), listed, options.mirror)
    try:
        programs = choose(listed.choose(options.only), "all" if options.only else options.part)
        if not options.cached:
            store.install()
            run(programs, store, again=options.again)
    except (LookupError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    rows = list(judge(programs, store, options.devlint.absolute(), options.options.split()))
    for line in table.table(rows):
        say(line)
    for wanted, lines in ((options.missed, table.missed), (options.unconfirmed, table.unconfirmed)):
        if wanted:
            say("")
            for line in lines(rows):
                say(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
