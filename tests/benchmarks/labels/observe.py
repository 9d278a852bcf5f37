"""Runs a suite lifted, and gathers what it shows of each line of the library."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.benchmarks.agreement.observe import STANDINS
from tests.benchmarks.agreement.reading import findings
from tests.benchmarks.agreement.truth import Place, Seen, Truth
from tests.benchmarks.lifted.__main__ import lifting, run

PLUGIN = Path(__file__).with_name("plugin")
EXCUSED = "Excused"
"""The kind of what mixes devices and is no mistake of the library."""
KINDS = {"wait": "Synchronization", "upload": "Transfer", "download": "Transfer"}


def observe(suite: dict[str, Any], clone: Path, seconds: int) -> Truth:
    """Run a suite lifted, reporting only, so that a test goes on after a mistake. No test begins
    after so many seconds of the processor; what it has shown until then counts."""
    with TemporaryDirectory() as folder:
        report, lines, tests = (Path(folder) / f"{name}.json" for name in ("lifted", "lines", "tests"))
        spent = run(
            clone,
            ["-p", "executed_lines", "--devlint-lift-report-only", *lifting(suite, report)],
            {
                "LABELS_ROOT": str(clone),
                "LABELS_LINES": str(lines),
                "LABELS_TESTS": str(tests),
                "LABELS_SECONDS": str(seconds),
            },
            paths=(clone / suite.get("path", ""), STANDINS, PLUGIN),
        )
        if not report.exists() or not lines.exists():
            return Truth("no report", spent, 0, 0, (), (), {})
        shown = json.loads(report.read_text("utf-8"))
        counts = _outside(tests, json.loads(lines.read_text("utf-8")))
    found = findings(json.dumps([*shown["mistakes"], *shown["slow"]]), clone)
    executed = {os.path.relpath(path, clone.resolve()): count for path, count in sorted(counts.items())}
    of_package = {
        path: {int(line): times for line, times in count.items()}
        for path, count in executed.items()
        if Path(path).is_relative_to(package(suite))
    }
    return Truth("", round(spent, 1), 0, 0, found, tuple(seen(shown, clone)), of_package)


def package(suite: dict[str, Any]) -> Path:
    """The directory of a suite's library in its clone."""
    return Path(suite.get("path", ""), suite["package"])


def _outside(tests: Path, counts: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """The executed lines of files without tests; some are in the package."""
    own = set(json.loads(tests.read_text("utf-8")))
    return {path: count for path, count in counts.items() if path not in own}


def seen(shown: dict[str, Any], root: Path) -> list[Seen]:
    """The behavior of each line, from the report of a lifted run."""
    counts: dict[tuple[str, Place], int] = defaultdict(int)
    forward: set[tuple[str, Place]] = set()
    for row in (*shown["costs"], *shown["excused"]):
        path = os.path.relpath(os.path.realpath(row["filename"]), root.resolve())
        place = Place(path, row["line"], max(row["line"], row.get("end_line", 0)))
        key = (KINDS.get(row.get("kind", ""), EXCUSED), place)
        counts[key] += row["count"]
        if row.get("forward"):
            forward.add(key)
    return [Seen(*key, count, 0, None, key in forward) for key, count in counts.items()]
