"""Each error about devices that torch raised in the recorded verdicts is explained by a rule, on simulated
devices."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.rules.test_device_verdicts import PROLOGUE, ROWS
from tests.runtime.explain.explaining import noted

RAISING = [row[1] for row in ROWS if row[0] == "raises"]


def program(statement: str) -> Callable[[], None]:
    """The statement after the prologue, with source text, as a file has it."""
    name = f"<{statement}>"
    linecache.cache[name] = (len(statement), None, [f"{statement}\n"], name)
    code = compile(statement, name, "exec")

    def run() -> None:
        variables: dict[str, Any] = {}
        exec(PROLOGUE, variables)
        exec(code, variables)

    return run


@pytest.mark.filterwarnings("ignore::UserWarning")  # what torch says besides
@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only, and no operands' texts")
@pytest.mark.parametrize("statement", RAISING)
def test_a_rule_explains_it(statement: str) -> None:
    headline, *lines = noted(program(statement))
    assert headline.startswith("devlint: DL1")
    assert "of one operation" not in headline, "no operands are named"
    assert lines[-1].startswith("  = help: ")
