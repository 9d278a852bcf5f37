"""The options of the commands about whole programs: the programs, the directory, and the checkout."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.benchmarks.agreement.store import Store
from tests.benchmarks.programs import catalogue
from tests.benchmarks.programs.catalogue import Program
from tests.benchmarks.programs.fetch import ROOT

CATALOGUE = Path(__file__).with_name("programs.toml")
PARTS = (
    "tuned",
    "unread",
    "later",
    "newest",
    "latest",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
)
"""The parts of the catalogue, in the order in which their programs were listed. The results of a part were
read line by line once a figure at first sight was written down; those of `unread` are never read."""
ALL = "all"
"""Names all parts."""


def say(line: str) -> None:
    """Print a line, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def say_all(*lists: Iterable[str]) -> None:
    """Print lists of lines, with an empty line between two."""
    for number, lines in enumerate(lists):
        if number:
            say("")
        for line in lines:
            say(line)


def command(module: str, description: str | None) -> argparse.ArgumentParser:
    """The command `python -m module`, with the options that all of them have."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("directory", type=Path, metavar="DIRECTORY", help="where all is kept")
    parser.add_argument("--part", choices=(*PARTS, ALL), default="tuned", help="which programs (tuned)")
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
    parser.add_argument("--cached", action="store_true", help="run no program")
    return parser


def opened(options: argparse.Namespace) -> Store:
    """The directory of a command."""
    return Store(options.directory.absolute(), catalogue.read(options.catalogue), options.mirror)


def chosen(options: argparse.Namespace, store: Store) -> list[Program]:
    """The programs of a command: those that are named, else those of a part.

    Raises:
        LookupError: There is no program of a name.
    """
    named = store.catalogue.choose(options.only)
    return [each for each in named if options.only or options.part in (each.part, ALL)]
