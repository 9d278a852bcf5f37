"""Prints which of the real bugs are found, and why the others are not: `python -m tests.historic`."""

from __future__ import annotations

import sys
from collections import Counter

from tests.historic.case import all_cases, reasons


def main() -> None:
    """One line a case, then the count."""
    known = reasons()
    cases = [case for case in all_cases() if case.counts]
    for case in cases:
        codes = " ".join(sorted({"|".join(sorted(marked)) for marked in case.errors.values()}))
        text = case.title if case.confidence else known.get(case.id, "no reason is known")
        sys.stdout.write(f"{case.confidence or 'missed':8}  {case.id:34}  {codes:17}  {text}\n")
    levels = Counter(case.confidence for case in cases)
    found = len(cases) - levels.pop("", 0)
    at = ", ".join(f"{count} {level}" for level, count in sorted(levels.items()))
    sys.stdout.write(f"{found} of {len(cases)} found ({found / len(cases):.1%}): {at}\n")


if __name__ == "__main__":
    main()
