"""Tests of the file and line to which a call is attributed."""

from __future__ import annotations

import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import devlint
from devlint.runtime.places.frames import leave_out, user_frame

TORCH = Path(str(find_spec("torch").origin)).parent  # type: ignore[union-attr]
DEVLINT = Path(devlint.__file__).parent


def called_by(*files: str) -> str:
    """The file that is told to have made a call, which the first of these made by way of the others."""
    made: Any = sys._getframe
    for file in reversed(files):
        namespace: dict[str, Any] = {"made": made}
        exec(compile("def call():\n    return made()\n", file, "exec"), namespace)
        made = namespace["call"]
    innermost: FrameType = made()
    found = user_frame(innermost)
    return "" if found is None else found.f_code.co_filename


@pytest.mark.parametrize(
    "inner",
    [
        str(TORCH / "nn" / "functional.py"),
        str(DEVLINT / "runtime" / "observer" / "mode.py"),
        str(DEVLINT / "cli" / "run.py"),
        threading.__file__,
        "<__array_function__ internals>",
    ],
)
def test_a_call_is_that_of_the_line_that_led_there(inner: str) -> None:
    assert called_by("train.py", inner) == "train.py"


@pytest.mark.parametrize(
    "own",
    [
        "train.py",
        f"{TORCH}vision/models/resnet.py",
        f"{DEVLINT}-examples/train.py",
        str(TORCH.parent / "transformers" / "trainer.py"),
        "<string>",
    ],
)
def test_a_line_of_the_program_is_its_own(own: str) -> None:
    assert called_by("main.py", own) == own


def test_the_command_that_runs_a_program_is_no_part_of_it() -> None:
    assert called_by("main.py", "/usr/bin/some-command") == "/usr/bin/some-command"
    leave_out("/usr/bin/some-command")
    assert called_by("main.py", "/usr/bin/some-command") == "main.py"
