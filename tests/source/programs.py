"""Real-looking programs, which use what the interpreter knows, and mutants of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hypothesis import strategies as st

REPOSITORY = Path(__file__).parents[2]


@cache
def programs() -> list[str]:
    """The programs of the cases and of the documentation."""
    paths = [*REPOSITORY.glob("tests/cases/*/*.py"), *REPOSITORY.glob("docs/examples/*.py")]
    return [path.read_text(encoding="utf-8") for path in sorted(paths)]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A program with lines dropped, doubled, swapped with others, or taken from another program."""
    lines = draw(st.sampled_from(programs())).splitlines()
    others = draw(st.sampled_from(programs())).splitlines()
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(["drop", "double", "swap", "graft"])):
            case "drop" if len(lines) > 1:
                del lines[at]
            case "double":
                lines.insert(at, lines[at])
            case "swap":
                to = draw(st.integers(0, len(lines) - 1))
                lines[at], lines[to] = lines[to], lines[at]
            case _:
                lines.insert(at, draw(st.sampled_from(others)))
    return "\n".join(lines) + "\n"
