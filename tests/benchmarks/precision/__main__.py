"""Counts how many findings on real code are worth a fix: `python -m tests.benchmarks.precision DIRECTORY`.

The verdicts are those of `readings.tsv`, which has the place and a reason for each finding that was read.
A finding without a row is listed as unread.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from devlint.pipeline.analysis.text import find_all
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import Task
from devlint.rules import registry
from tests.benchmarks.corpus import HOW_TO_GET_ONE, Program, read
from tests.benchmarks.precision.readings import Place, Verdict, read_all


def known_verdicts() -> dict[Place, Verdict]:
    """The verdict on each place that was read."""
    return {reading.place: reading.verdict for reading in read_all()}


def findings(programs: Iterable[Program], directory: Path, codes: Sequence[str]) -> set[Place]:
    """The findings of these rules in the programs, each checked among the other files of its project."""
    session = CheckSession(Task())
    found: set[Place] = set()
    for program in programs:
        path = program.path.relative_to(directory).as_posix()
        place = session.place_of(program.path)
        for finding in find_all(program.text, str(program.path), codes, place):
            found.add(Place(finding.code, path, finding.site.line))
        session.done(program.path)
    return found


def report(found: set[Place], known: dict[Place, Verdict]) -> str:
    """A row for each rule, and the findings without a reading."""
    lines = [f"{'rule':8}{'findings':>9}{'read':>6}{'worth a fix':>13}{'or true':>13}"]
    counts = Counter(place.code for place in found)
    judged = {place: known[place] for place in found if place in known}
    for code in sorted(counts):
        of_rule = [verdict for place, verdict in judged.items() if place.code == code]
        lines.append(_row(code, counts[code], of_rule))
    lines.append(_row("all", len(found), list(judged.values())))
    unread = sorted(found - known.keys())
    lines += [f"unread: {place.code} {place.path}:{place.line}" for place in unread]
    return "\n".join(lines)


def _row(name: str, count: int, judged: Sequence[Verdict]) -> str:
    worth = sum(verdict is Verdict.WORTH_A_FIX for verdict in judged)
    right = sum(verdict.right for verdict in judged)
    return f"{name:8}{count:>9}{len(judged):>6}{_share(worth, judged):>13}{_share(right, judged):>13}"


def _share(of_them: int, judged: Sequence[Verdict]) -> str:
    return f"{of_them} ({of_them / len(judged):.0%})" if judged else "-"


def main(arguments: list[str] | None = None) -> int:
    """Parse the arguments, check, print. Exits with 1 if there are findings without a reading."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.precision", description=__doc__)
    parser.add_argument("directory", type=Path, nargs="?", help="the packages, as fetch_corpus unpacks them")
    options = parser.parse_args(arguments)
    if options.directory is None or not options.directory.is_dir():
        print(f"error: {HOW_TO_GET_ONE}", file=sys.stderr)  # noqa: T201
        return 2
    codes = [rule.code for rule in registry.all_rules() if rule.enabled]
    found = findings(read(options.directory, None, 0), options.directory, codes)
    known = known_verdicts()
    print(report(found, known))  # noqa: T201
    return 1 if found - known.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
