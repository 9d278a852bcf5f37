"""Loops that a run left after few turns, so that it does not show what is on a hot path in them."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from tests.benchmarks.agreement.truth import TIMES


def brief_lines(text: str, executed: Mapping[int, int]) -> frozenset[int]:
    """The lines whose innermost loop had few turns each time; `executed` counts the executions of lines."""
    brief: dict[int, bool] = {}
    for loop in ast.walk(ast.parse(text)):  # outer loops first
        if isinstance(loop, ast.For | ast.While):
            last = loop.body[-1].end_lineno or loop.body[-1].lineno
            brief.update(dict.fromkeys(range(loop.body[0].lineno, last + 1), _has_few_turns(loop, executed)))
    return frozenset(line for line, is_brief in brief.items() if is_brief)


def _has_few_turns(loop: ast.For | ast.While, executed: Mapping[int, int]) -> bool:
    """Whether a loop was left after fewer than `TIMES` turns on average. Its head is executed once more than
    its body each time."""
    turns = executed.get(loop.body[0].lineno, 0)
    times = executed.get(loop.lineno, 0) - turns
    return 0 < turns < TIMES * times
