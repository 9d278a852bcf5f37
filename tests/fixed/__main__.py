"""Prints what fixes do to the programs of this project: `python -m tests.fixed`. It needs torch."""

from __future__ import annotations

import sys
from collections import Counter

from tests.fixed.outcome import Comparison, compare
from tests.fixed.programs import uses


def main() -> int:
    """One line a program, then the counts. Exits 1 if a fix changed or failed to mend anything."""
    comparisons = [compare(use) for use in uses()]
    for comparison in comparisons:
        sys.stdout.write(_row(comparison))
    problems = sum(1 for comparison in comparisons for _ in comparison.problems)
    codes = sum((comparison.use.codes for comparison in comparisons), Counter[str]())
    mended = sum(comparison.use.mends for comparison in comparisons)
    sys.stdout.write(
        f"{len(comparisons)} programs with {codes.total()} fixes ({_counted(codes)}): "
        f"{mended} raised on CUDA before and do not after; {problems} problems\n"
    )
    return 1 if problems else 0


def _row(comparison: Comparison) -> str:
    use = comparison.use
    kind = "unsafe" if use.unsafe else "safe"
    what = "mended" if use.mends else "kept"
    lines = [f"{use.program:36} {kind:7} {what:7} {_counted(use.codes)}"]
    lines += [f"    {problem}" for problem in comparison.problems]
    return "\n".join(lines) + "\n"


def _counted(codes: Counter[str]) -> str:
    return ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))


if __name__ == "__main__":
    sys.exit(main())
