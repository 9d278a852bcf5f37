"""Holds `devlint check` of libraries against what their own suites show, lifted onto simulated devices.

    python -m tests.benchmarks.labels FOLDER [NAME ...]

FOLDER holds clones as `python -m tests.benchmarks.lifted` wants them. What a suite has shown is kept there.
../README.md says how a line counts.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.benchmarks.agreement import truth
from tests.benchmarks.agreement.claims import claims
from tests.benchmarks.agreement.options import say, say_all
from tests.benchmarks.labels import table
from tests.benchmarks.labels.observe import observe, package
from tests.benchmarks.labels.score import join
from tests.benchmarks.lifted.__main__ import SUITES as LIFTED
from tests.benchmarks.lifted.__main__ import suites
from tests.benchmarks.programs.fetch import ROOT

SUITES = {**LIFTED, **suites(Path(__file__).parent)}
SECONDS = 300
"""The processor time, in seconds, after which a suite starts no further test."""


def main(arguments: list[str] | None = None) -> int:
    """Run what has not been run, check, join, and print."""
    parser = ArgumentParser(prog="python -m tests.benchmarks.labels", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--cached", action="store_true", help="run no suite")
    parser.add_argument("--again", action="store_true", help="run suites although it is known what they show")
    parser.add_argument(
        "--seconds", type=int, default=SECONDS, help="of the processor, after which no test begins"
    )
    parser.add_argument(
        "--devlint", type=Path, default=ROOT, metavar="FOLDER", help="the checkout whose check is judged"
    )
    parser.add_argument("--missed", action="store_true", help="list labels that the check does not report")
    parser.add_argument("--unconfirmed", action="store_true", help="list what no run confirms")
    options = parser.parse_args(arguments)
    folder = options.folder.resolve()
    names = options.names or list(SUITES)
    if not options.cached:
        run(names, folder, options.seconds, again=options.again)
    rows = list(joined(names, folder, options.devlint.absolute()))
    lists = ((True, table.table), (options.missed, table.missed), (options.unconfirmed, table.unconfirmed))
    say_all(*(lines(rows) for wanted, lines in lists if wanted))
    return 0


def run(names: Iterable[str], folder: Path, seconds: int, *, again: bool) -> None:
    """Run the suites without a stored result, and store the results."""
    for name in names:
        kept = _kept(folder, name)
        if (kept.exists() and not again) or not (folder / name).exists():
            continue
        shown = observe(SUITES[name], folder / name, seconds)
        truth.write(shown, kept)
        say(f"{name}: {shown.seconds} s, {len(shown.files)} files, {len(shown.found)} findings {shown.ended}")


def joined(names: Iterable[str], folder: Path, devlint: Path) -> Iterator[table.Row]:
    """The findings of the check for the libraries whose suites were run, compared with the suites."""
    for name in names:
        kept = _kept(folder, name)
        if kept.exists() and (shown := truth.read(kept)).files:
            root = folder / name
            said = claims(root, [str(package(SUITES[name]))], devlint, ["--confidence=possible"])
            yield table.Row(name, root, join(shown, said))


def _kept(folder: Path, name: str) -> Path:
    return folder / "labels" / f"{name}.json"


if __name__ == "__main__":
    sys.exit(main())
