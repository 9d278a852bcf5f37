"""The work of a check grows with the length of a file, and hardly with its square.

Work is counted in executed lines of devlint, which no load of the machine changes. From three short files of
one kind follows what a long one takes: a constant, a part for each line, a part for each pair of lines.
`python -m tests.benchmarks.growth` measures the time of long files.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import pytest

import devlint
from devlint.pipeline.analysis.text import find_all
from devlint.rules import registry
from tests.benchmarks.growth import GENERATORS, program

if TYPE_CHECKING:
    from collections.abc import Callable

LENGTH = 100
"""The lines of the shortest file; the others have twice and three times as many."""
LENGTHS = {"methods_that_call_the_next": 280}
"""The same for kinds whose work grows evenly only beyond the shortest lengths."""
SHORT, LONG = 1_000, 16_000
MOST = 1.35
"""The exponent of a check from a thousand lines to sixteen thousand. That of time is lower: what grows with
the square are the shortest lines."""
KINDS = sorted(GENERATORS.keys() - {"classes_in_a_chain"})
"""Chains of classes are longer than these files, so that they would be taken to grow on and on."""
OWN = str(Path(devlint.__file__).parent)


def work(text: str) -> int:
    """The number of lines of devlint that a check of a text executes, with all rules."""
    lines: Counter[str] = Counter()

    def executed(_frame: FrameType, event: str, _argument: object) -> Callable[..., Any]:
        lines[event] += 1
        return executed

    def called(frame: FrameType, _event: str, _argument: object) -> Callable[..., Any] | None:
        return executed if frame.f_code.co_filename.startswith(OWN) else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        find_all(text, "long.py", registry.codes())
    finally:
        sys.settrace(before)
    return lines["line"]


@pytest.mark.parametrize("kind", KINDS)
def test_work_grows_with_the_length_of_a_file(kind: str) -> None:
    find_all(program(kind, 72), "long.py", registry.codes())  # what is done once in a process
    step = LENGTHS.get(kind, LENGTH)
    one, two, three = (work(program(kind, length)) for length in (step, 2 * step, 3 * step))
    square = (three - 2 * two + one) / (2 * step * step)
    linear = (two - one) / step - 3 * step * square
    constant = one - linear * step - square * step * step

    def expected(length: int) -> float:
        return constant + linear * length + square * length * length

    grown = math.log(expected(LONG) / expected(SHORT)) / math.log(LONG / SHORT)
    assert grown <= MOST, f"{kind}: {grown:.2f}"
