"""The observer as a whole: whatever the source, it answers or says that it cannot, and always the same."""

from __future__ import annotations

import ast
import warnings
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devlint.rules.engine import judge, resolve
from devlint.rules.registry import all_rules
from devlint.source import UnreadableSource, observe

REPOSITORY = Path(__file__).parents[2]


@cache
def programs() -> list[str]:
    """Real-looking programs, which use what the interpreter knows."""
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


def is_python(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            return False
    return True


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
def test_any_program_is_observed_or_refused(text: str) -> None:
    if not is_python(text):
        with pytest.raises(UnreadableSource):
            observe(text, "mutated.py")
        return
    observation = observe(text, "mutated.py")
    findings = resolve(judge(observation.events, all_rules()), observation)
    count = text.count("\n")
    assert all(1 <= finding.site.line <= count for finding in findings)
    again = observe(text, "mutated.py")
    assert again.events == observation.events
