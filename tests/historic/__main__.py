"""Prints which of the real bugs are found, and why the others are not: `python -m tests.historic`."""

from __future__ import annotations

import sys

from tests.historic.case import all_cases, reasons


def main() -> None:
    """One line a case, then the count."""
    known = reasons()
    cases = [case for case in all_cases() if case.counts]
    for case in cases:
        codes = " ".join(sorted({"|".join(sorted(marked)) for marked in case.errors.values()}))
        text = case.title if case.found else known.get(case.id, "no reason is known")
        sys.stdout.write(f"{'found' if case.found else 'missed':6}  {case.id:34}  {codes:17}  {text}\n")
    found = sum(case.found for case in cases)
    sys.stdout.write(f"{found} of {len(cases)} found ({found / len(cases):.1%})\n")


if __name__ == "__main__":
    main()
