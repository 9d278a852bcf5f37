"""Counts how many findings on real code are worth a fix: `python -m tests.benchmarks.precision DIRECTORY`.

The verdicts are those of docs/accuracy.md and of the pages of the further samples, where each finding that
was read stands with its place and a reason. A finding that does not stand there yet is listed as unread.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from devlint.pipeline.check import find_all
from devlint.pipeline.session import Session
from devlint.pipeline.task import Task
from devlint.rules import registry
from tests.benchmarks.corpus import HOW_TO_GET_ONE, Program, read
from tests.benchmarks.fetch_corpus import SAMPLES

PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"
FURTHER_SAMPLES = {sample: PAGE.with_name(f"accuracy-{sample}-sample.md") for sample in SAMPLES[1:]}
_ROW = re.compile(r"^\| (DL\d+) \| `([^`]+):(\d+)` \| (worth a fix|true|not) \| (.+) \|$", re.MULTILINE)


class Verdict(Enum):
    """What a reader said of a finding."""

    WORTH_A_FIX = "worth a fix"
    TRUE = "true"
    """It is as the finding says, and does no harm today. Up to the eighth sample this counted as not."""
    NOT = "not"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A finding by its rule and where it stands, the file named from its package on."""

    code: str
    path: str
    line: int


def verdicts(page: str) -> dict[Place, Verdict]:
    """What was said of each finding that was read."""
    return {
        Place(code, path, int(line)): Verdict(verdict) for code, path, line, verdict, _ in _ROW.findall(page)
    }


def known_verdicts() -> dict[Place, Verdict]:
    """The verdicts of all pages."""
    pages = (PAGE, *FURTHER_SAMPLES.values())
    return verdicts("".join(page.read_text(encoding="utf-8") for page in pages))


def findings(programs: Iterable[Program], directory: Path, codes: Sequence[str]) -> set[Place]:
    """What these rules find in the programs, each seen among the other files of its project."""
    session = Session(Task())
    found: set[Place] = set()
    for program in programs:
        path = program.path.relative_to(directory).as_posix()
        place = session.place_of(program.path)
        for finding in find_all(program.text, str(program.path), codes, place):
            found.add(Place(finding.code, path, finding.site.line))
        session.done(program.path)
    return found


def report(found: set[Place], known: dict[Place, Verdict]) -> str:
    """A row for each rule, and the findings that nobody has read."""
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
    right = sum(verdict is not Verdict.NOT for verdict in judged)
    return f"{name:8}{count:>9}{len(judged):>6}{_share(worth, judged):>13}{_share(right, judged):>13}"


def _share(of_them: int, judged: Sequence[Verdict]) -> str:
    return f"{of_them} ({of_them / len(judged):.0%})" if judged else "-"


def main(arguments: list[str] | None = None) -> int:
    """Read the arguments, check, print. Exits 1 if there are findings that nobody has read."""
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
