"""Takes things away from libraries whose suites are lifted, and asks the check.

    python -m tests.benchmarks.planted.suites FOLDER [NAME ...]

FOLDER holds clones as `python -m tests.benchmarks.lifted` wants them. What was planted is kept there;
../README.md says how. Beside what the tests need, it takes coverage.py and pytest-cov.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.benchmarks.agreement.options import say
from tests.benchmarks.agreement.reading import findings
from tests.benchmarks.agreement.truth import Found, Truth
from tests.benchmarks.labels.__main__ import SUITES
from tests.benchmarks.labels.observe import package
from tests.benchmarks.lifted.__main__ import lifting, options, run
from tests.benchmarks.planted import plant
from tests.benchmarks.planted.__main__ import LIMIT, missed, table
from tests.benchmarks.planted.plant import Plant, sites
from tests.benchmarks.planted.score import Outcome, judge
from tests.benchmarks.programs.fetch import ROOT

TESTS = 6
"""At most so many of the tests that reach a line are run with something taken away there."""

Reaching = Mapping[str, Mapping[int, Sequence[str]]]
"""The tests that reach each line of each file of a package."""


def main(arguments: list[str] | None = None) -> int:
    """Plant what has not been planted, check, and print."""
    parser = ArgumentParser(prog="python -m tests.benchmarks.planted.suites", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--cached", action="store_true", help="run no suite")
    parser.add_argument("--missed", action="store_true", help="list what is not found")
    parser.add_argument("--limit", type=int, default=LIMIT, metavar="N", help=f"so many a suite ({LIMIT})")
    parser.add_argument(
        "--devlint", type=Path, default=ROOT, metavar="FOLDER", help="the checkout whose check is judged"
    )
    chosen = parser.parse_args(arguments)
    folder = chosen.folder.resolve()
    judged: list[Outcome] = []
    for name in chosen.names or SUITES:
        kept = folder / "planted" / f"{name}.json"
        if not kept.exists() and not chosen.cached and (folder / name).exists():
            plants = list(planted(name, folder, chosen.limit))
            plant.write(plants, kept)
            say(f"{name}: {sum(bool(one.raised) for one in plants)} of {len(plants)} raise")
        if kept.exists():
            files = [str(package(SUITES[name]))]
            judged += judge(plant.read(kept), folder / name, files, chosen.devlint.absolute(), [])
    for line in (*table(judged), *(missed(judged) if chosen.missed else ())):
        say(line)
    return 0


def planted(name: str, folder: Path, limit: int) -> Iterator[Plant]:
    """Take away one thing at a time from a library, and run the tests that reach it, lifted."""
    suite, clone = SUITES[name], folder / name
    reaching = tests_of_lines(suite, clone)
    lines = {path: dict.fromkeys(lines, 1) for path, lines in reaching.items()}
    for path, edit in sites(Truth("", 0, 0, 0, (), (), lines), clone, name, limit):
        file = clone / path
        original = file.read_bytes()
        tests = reaching[path][edit.line][:TESTS]
        before = {(found.place, found.code) for found in mistakes(suite, clone, tests)}
        file.write_bytes(edit.apply(original))
        try:
            new = [each for each in mistakes(suite, clone, tests) if (each.place, each.code) not in before]
        finally:
            file.write_bytes(original)
        raised = f"{new[0].place.path}:{new[0].place.first}" if new else ""
        error = new[0].message if new else ""
        yield Plant(name, edit.kind, path, edit.line, edit.start, edit.end, raised, error)


def tests_of_lines(suite: dict[str, Any], clone: Path) -> Reaching:
    """The tests that reach each line of a package, from the coverage of the suite on the CPU."""
    data = clone / ".reached"
    if not data.exists():
        own = package(suite)
        asked = (f"--cov={own}", "--cov-context=test", "--cov-report=")
        run(
            clone,
            ["-p", "pytest_cov", *asked, *options(suite)],
            {"COVERAGE_FILE": str(data)},
            _paths(suite, clone),
        )
    read = import_module("coverage").CoverageData(str(data))
    read.read()
    return {
        str(Path(file).relative_to(clone)): {
            line: [context.rpartition("|")[0] for context in contexts if context.endswith("|run")]
            for line, contexts in read.contexts_by_lineno(file).items()
            if any(context.endswith("|run") for context in contexts)
        }
        for file in read.measured_files()
    }


def mistakes(suite: dict[str, Any], clone: Path, tests: Sequence[str]) -> tuple[Found, ...]:
    """The report for a library when some of its tests are lifted."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "lifted.json"
        chosen = {**suite, "tests": tests}
        run(clone, ["--devlint-lift-report-only", *lifting(chosen, report)], paths=_paths(suite, clone))
        if not report.exists():
            return ()
        return findings(json.dumps(json.loads(report.read_text("utf-8"))["mistakes"]), clone)


def _paths(suite: dict[str, Any], clone: Path) -> tuple[Path, ...]:
    return (clone / suite.get("path", ""),)


if __name__ == "__main__":
    sys.exit(main())
