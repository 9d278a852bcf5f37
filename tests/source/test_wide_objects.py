"""Objects with many attributes, for which things are worked out in runs: calls tell them apart as ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.pipeline.analysis.text import find_all
from devlint.source.machine.domain.runs import LENGTH, Runs

if TYPE_CHECKING:
    from collections.abc import Mapping

WIDTHS = (3, 3 * LENGTH)
"""The number of attributes of an object besides those of a test."""
CHANGES = {
    "attribute": "net.mask = torch.ones(2)",
    "branch": "if len(sys.argv) > 1:\n    net.mask = torch.ones(2)",
    "dict": "net.__dict__['mask'] = torch.ones(2)",
    "nested": "net.part.mask = torch.ones(2)",
    "removed": "del net.early\nnet.mask = torch.ones(2)",
    "added": "net.late = net.mask\nnet.mask = torch.ones(2)",
}


def program(width: int, change: str) -> str:
    """A method that is called before and after its object has changed."""
    others = "".join(f"        self.a{number} = torch.ones(2)\n" for number in range(width))
    return (
        "import sys\nimport torch\n\nclass Part:\n    pass\n\nclass Net:\n    def __init__(self):\n"
        "        self.early = 1\n        self.part = Part()\n"
        "        self.part.mask = torch.ones(2, device='cuda')\n"
        f"        self.mask = torch.ones(2, device='cuda')\n{others}\n"
        "    def apply(self, x):\n        return x + self.mask + self.part.mask\n\n"
        "net = Net()\nx = torch.ones(2, device='cuda')\nnet.apply(x)\n"
        f"{change}\nnet.apply(x)\n"
    )


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("width", WIDTHS)
def test_what_has_changed_meets_the_next_call(width: int, change: str) -> None:
    found = find_all(program(width, CHANGES[change]), "program.py", ["DL101"])
    (message,) = (each.message for each in found)
    assert ("`self.part.mask`" if change == "nested" else "`self.mask`") in message


@pytest.mark.parametrize("width", WIDTHS)
def test_what_has_not_changed_is_no_finding(width: int) -> None:
    assert not find_all(program(width, "net.late = 1"), "program.py", ["DL101"])


def sums(cells: Mapping[object, int]) -> tuple[tuple[object, ...], int]:
    """Something that rests on the cells of a run."""
    return tuple(cells), sum(cells.values())


@given(st.lists(st.tuples(st.integers(0, 200), st.none() | st.integers()), max_size=300))
def test_runs_are_those_of_the_cells_as_they_are(writes: list[tuple[int, int | None]]) -> None:
    cells: dict[object, int] = dict.fromkeys(range(100), 0)
    runs = Runs(cells)
    for key, value in writes:
        if value is None:
            cells.pop(key, None)
            runs = runs.removed(key) or Runs(cells)
        else:
            cells[key] = value
            runs.written(key)
        assert len(runs) == len(cells)
        assert runs.each(cells, sums) == Runs(cells).each(cells, sums)
