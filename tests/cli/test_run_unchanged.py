"""What a program can see of `devlint run`: nothing but what docs/run.md says."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.cli.programs import DEVLINT, ended, start

PROGRAM = """\
print(list(globals()))
x = 1
print(list(globals()))

import json, os, sys, threading, time

import torch

x = torch.ones(2)


def deeper(depth):
    try:
        x.to("cpu")
        return deeper(depth + 1)
    except RecursionError:
        return depth


print(deeper(0) > 100)
os.getpid = time.perf_counter = time.monotonic = threading.Lock = threading.current_thread = None
json.dumps = sys._getframe = None
y = torch.nn.Parameter(x.to("cpu") + 1).sum() * 0
y.backward()
print(y.item())
sys.stderr.close()
raise SystemExit(5)
"""


def test_output_and_exit_code_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    options = ("--simulate", "cuda", "--trace", "trace.jsonl")
    commands = (sys.executable,), (*DEVLINT, *options)
    plain, watched = map(ended, [start(tmp_path, *command, "program.py") for command in commands])
    assert (watched.code, watched.out) == (plain.code, plain.out)
