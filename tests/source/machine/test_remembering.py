"""Calls that are alike are followed once, wherever they stand; see calls_alike.md for what comes of them."""

from __future__ import annotations

import pytest

from devlint.source.module_graph import ModuleGraph
from devlint.source.observation import ALONE, observe

_PREAMBLE = """
import functools
import torch

class Box:
    def __init__(self):
        self.x = torch.ones(3)

def each(x):
    return x

def work(x, box, then):
    y = x
    y = (y + 1) * (y + 2) * (y + 3) * (y + 4) * (y + 5) * (y + 6) * (y + 7) * (y + 8) * (y + 9) * (y + 10)
    y = (y + 1) * (y + 2) * (y + 3) * (y + 4) * (y + 5) * (y + 6) * (y + 7) * (y + 8) * (y + 9) * (y + 10)
    {body}

def call():
    work(torch.ones(3), Box(), functools.partial(each, 1))

call()
"""
_CALLS = """
for one in range(100):
    for other in range(100):
        call()
for one in range(100):
    for other in range(100):
        call()
        call()
"""


def steps(text: str) -> int:
    """The number of steps of a run of a program."""
    graph = ModuleGraph(ALONE)
    observe(text, "program.py", place=graph.place("program.py"))
    return graph.machine.steps


@pytest.mark.parametrize(
    "body",
    ["return y", "box.x = y", "return [y, box.x]", "return {'box': box, 'made': Box()}", "return then()"],
    ids=["gives a tensor", "changes its argument", "makes a list", "makes objects", "calls a partial"],
)
def test_a_call_is_followed_once_whatever_loop_it_stands_in(body: str) -> None:
    text = _PREAMBLE.format(body=body)
    empty = text.replace("    y = (y", "    # y = (y")
    once = steps(text) - steps(empty)
    again = steps(text + _CALLS) - steps(empty + _CALLS)
    assert once > 0
    assert again <= 3 * once  # the first time, outside of all loops, and in a loop within a loop
