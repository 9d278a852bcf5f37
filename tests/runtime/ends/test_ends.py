"""Some of the scripts; `python -m tests.runtime.ends` runs all."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.runtime.ends.compare import OPTIONS, differences
from tests.runtime.ends.scripts import ENDS, SCRIPTS, WORKS, Script

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and forks")
SOME = (
    Script("a daemon thread", "the last line"),
    Script("what comes at exit", "a number"),
    Script("what comes at exit", "an interruption"),
    Script("a fork without exec", "an interruption"),
    Script("training", "SIGTERM"),
)


def test_there_are_as_many_as_is_said() -> None:
    assert len(SCRIPTS) == len(WORKS) * len(ENDS) >= 100
    for script in SCRIPTS:
        compile(script.text, "script.py", "exec")


@pytest.mark.parametrize("script", SOME, ids=" and ".join)
def test_it_ends_as_without_devlint(script: Script, tmp_path: Path) -> None:
    assert list(differences(script, tmp_path, OPTIONS[1:])) == []
