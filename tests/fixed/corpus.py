"""Fixes all files of a directory, in memory, and says what came of it.

`python -m tests.fixed.corpus DIRECTORY`. A fixed file has to parse, has to have nothing left to fix, has to
keep its comments, and may differ in nothing but what fixes are for.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import io
import random
import sys
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path

from devlint.pipeline.files.document import Document, read_document
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import Task
from devlint.rules import registry
from devlint.source.screen import may_matter
from devlint.source.unreadable import UnreadableSource
from tests.benchmarks.corpus import HOW_TO_GET_ONE
from tests.fixed.fixing import FixError, fix_all
from tests.fixed.intended import is_intended


@dataclass(frozen=True)
class Repair:
    """One file, before and after."""

    path: str
    before: str
    after: str
    counts: Counter[str]
    problems: tuple[str, ...] = ()

    @property
    def diff(self) -> str:
        """What has changed, as a patch."""
        return "".join(
            difflib.unified_diff(
                self.before.splitlines(keepends=True),
                self.after.splitlines(keepends=True),
                self.path,
                self.path,
            )
        )


@dataclass
class Tally:
    """What became of all files."""

    files: int = 0
    repairs: list[Repair] = field(default_factory=list)

    @property
    def counts(self) -> Counter[str]:
        """How many findings were fixed, by code."""
        return sum((repair.counts for repair in self.repairs), Counter())

    @property
    def problems(self) -> list[str]:
        """What went wrong, with the file."""
        return [f"{repair.path}: {problem}" for repair in self.repairs for problem in repair.problems]


def repair(
    path: Path, root: Path, on: frozenset[str], *, unsafe: bool, session: CheckSession | None = None
) -> Repair | None:
    """Fix a file that can be read, seen among the files of its project; None if there is nothing to fix."""
    name = path.relative_to(root).as_posix()
    data = path.read_bytes()
    if not may_matter(data):
        return None
    place = session.place_of(path) if session is not None else None
    try:
        document = read_document(data, name, notebook=False)
        fixed = fix_all(document, str(path), on, unsafe=unsafe, place=place)
    except (UnreadableSource, RecursionError):
        return None
    except FixError as error:
        return Repair(name, document.text, document.text, Counter(), (str(error),))
    if not fixed.counts:
        return None
    problems = [*_problems(document, fixed.document)]
    if not fixed.settled:
        problems.append("still changes after the last pass")
    elif fix_all(fixed.document, str(path), on, unsafe=unsafe, place=place).counts:
        problems.append("a second run has something to fix")
    return Repair(name, document.text, fixed.document.text, fixed.counts, tuple(problems))


def _problems(before: Document, after: Document) -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fixed = ast.parse(after.text)
        except SyntaxError as error:
            yield f"does not parse: {error}"
            return
        if not is_intended(ast.parse(before.text), fixed):
            yield "something else has changed"
    if comments(before.text) != comments(after.text):
        yield "a comment was lost"


def comments(text: str) -> list[str]:
    """All comments but devlint's own, which it removes where they ignore nothing."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    found = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return [comment for comment in found if "devlint:" not in comment]


def repair_all(directory: Path, on: frozenset[str], *, unsafe: bool) -> Tally:
    """Fix all Python files below a directory."""
    paths = sorted(path for path in directory.rglob("*.py") if path.is_file())
    slices = [paths[start : start + SLICE] for start in range(0, len(paths), SLICE)]
    with ProcessPoolExecutor() as pool:
        repairs = pool.map(partial(_repair_some, root=directory, on=on, unsafe=unsafe), slices)
        return Tally(len(paths), list(chain.from_iterable(repairs)))


SLICE = 400
"""So many files share what is known of the files that they import."""


def _repair_some(paths: Sequence[Path], root: Path, on: frozenset[str], *, unsafe: bool) -> list[Repair]:
    session = CheckSession(Task())
    repairs: list[Repair] = []
    for path in paths:
        made = repair(path, root, on, unsafe=unsafe, session=session)
        if made is not None:
            repairs.append(made)
        session.done(path)
    return repairs


def report(tally: Tally, sample: Sequence[Repair]) -> str:
    """How many fixes there were, what went wrong, and the patches of a sample."""
    fixed = ", ".join(f"{code} {count}" for code, count in sorted(tally.counts.items())) or "nothing"
    lines = [
        f"{tally.files} files, {len(tally.repairs)} changed: {fixed}",
        *(f"problem: {problem}" for problem in tally.problems),
        f"{len(tally.problems)} problems",
        *(f"\n{repair.diff}" for repair in sample),
    ]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Read the arguments, fix, print. Exits 1 if anything went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.fixed.corpus", description=__doc__)
    parser.add_argument("directory", type=Path, nargs="?", help="any directory of Python files")
    parser.add_argument("--unsafe-fixes", action="store_true", help="make unsafe fixes too")
    parser.add_argument("--all", action="store_true", help="fix for all rules, not only those on by default")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="print the patches of N files")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    options = parser.parse_args(arguments)
    if options.directory is None or not options.directory.is_dir():
        print(f"error: {HOW_TO_GET_ONE}", file=sys.stderr)  # noqa: T201
        return 2
    on = frozenset(registry.codes()) if options.all else registry.default_codes()
    tally = repair_all(options.directory, on - {"DL901"}, unsafe=options.unsafe_fixes)
    chosen = random.Random(options.seed).sample(tally.repairs, min(options.sample, len(tally.repairs)))
    print(report(tally, chosen))  # noqa: T201
    return 1 if tally.problems else 0


if __name__ == "__main__":
    sys.exit(main())
