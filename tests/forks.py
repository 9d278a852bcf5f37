"""Runs `python -m devlint` in forks of a process that has imported torch: imports dominate short runs.

A fork ends as any process does: it runs what is registered for its exit, and finalizes the interpreter.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import random
import runpy
import site
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

PRELOADED = (
    "torch",
    "torch._dynamo",
    "torch.distributed",
    "devlint.cli",
    "devlint.cli.run",
    "devlint.pipeline.observed.findings",
    "devlint.runtime.session.session",
    "devlint.simulation",
)
_STREAMS = ("in", "out", "err")


class Forked(NamedTuple):
    """A process that was started: its number, and the directory with its streams."""

    number: int
    streams: Path


class Ended(NamedTuple):
    """How a process ended: its exit code, or less than 0 the signal, and what it wrote."""

    code: int
    out: str
    err: str


def run(arguments: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> Ended:
    """Run `python -m devlint` with these arguments to its end."""
    return wait(start(arguments, cwd, environment))


def start(arguments: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> Forked:
    """Start `python -m devlint` with these arguments."""
    streams = Path(tempfile.mkdtemp(prefix="streams-"))
    for name in _STREAMS:
        (streams / name).touch()
    job = {
        "arguments": list(arguments),
        "cwd": str(cwd),
        "environment": dict(environment),
        "streams": str(streams),
    }
    return Forked(_asked(job), streams)


def wait(process: Forked) -> Ended:
    """Wait for the end of a process."""
    code = _asked({"wait": process.number})
    return Ended(code, *((process.streams / name).read_text("utf-8") for name in _STREAMS[1:]))


def _asked(job: dict[str, Any]) -> int:
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(job) + "\n")
    server.stdin.flush()
    return int(server.stdout.readline())


@cache
def _server() -> subprocess.Popen[str]:
    """The process that forks; it ends with this one, which closes its standard input."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.forks"],
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(server.communicate)
    return server


def _serve() -> dict[str, Any] | None:
    """Fork for each job of a line of standard input. Returns the job in a fork, and None at the end."""
    for line in sys.stdin:
        job = json.loads(line)
        if "wait" in job:
            answer = os.waitstatus_to_exitcode(os.waitpid(job["wait"], 0)[1])
        else:
            answer = os.fork()
            if not answer:
                return dict(job)
        print(answer, flush=True)  # noqa: T201
    return None


def _become(job: dict[str, Any]) -> None:
    """Become `python -m devlint`."""
    os.chdir(job["cwd"])
    before = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ.clear()
    os.environ.update(job["environment"])
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:] = [job["cwd"], *(path for path in paths if path not in before), *sys.path[1:]]
    site.USER_BASE = site.USER_SITE = None  # the environment says where these are
    for number, name in enumerate(_STREAMS):
        os.dup2(os.open(Path(job["streams"], name), os.O_RDWR), number)
    random.seed()
    sys.stdin = os.fdopen(0)
    sys.argv = ["-m", *job["arguments"]]
    runpy.run_module("devlint", run_name="__main__", alter_sys=True)


def _prepare() -> None:
    """Do once what each fork would do: import, decode the table of operators, and give up what is not needed.

    What exists then is frozen: a fork that ends would otherwise look through all of it for garbage.
    """
    for name in PRELOADED:
        importlib.import_module(name)
    torch = importlib.import_module("torch")
    operators = importlib.import_module("devlint.operators")
    for name in operators.names():
        operators.find(name, torch.__version__)
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    _prepare()
    asked = _serve()
    if asked is not None:
        _become(asked)
