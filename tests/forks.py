"""Runs commands in forks of a process that has imported what they import, which dominates short runs.

A fork runs what is registered for its exit. It finalizes the interpreter only if that is asked for, because
that takes longer than most runs.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import random
import runpy
import select
import signal
import site
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

PRELOADED = {
    "devlint": (
        "torch",
        "torch._dynamo",
        "torch.distributed",
        "devlint.cli",
        "devlint.cli.run",
        "devlint.pipeline.observed.findings",
        "devlint.runtime.session.session",
        "devlint.simulation",
        "devlint.source.observation",
        "devlint.source.locate",
    ),
    "flake8": (
        "flake8.main.cli",
        "flake8.checker",
        "devlint.integrations.flake8_plugin",
        "devlint.source.observation",
        "devlint.source.locate",
    ),
}
"""What is imported by module that is run. flake8 must not import torch."""
PATIENCE = 120
"""Seconds after which a process counts as one that does not end."""
_STREAMS = ("in", "out", "err")


class Forked(NamedTuple):
    """A process that was started: its module, its number, and the directory with its streams."""

    module: str
    number: int
    streams: Path


class Ended(NamedTuple):
    """How a process ended: its exit code, or less than 0 the signal, and what it wrote."""

    code: int
    out: str
    err: str


def run(
    arguments: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    *,
    finalized: bool = False,
    merged: bool = False,
) -> Ended:
    """Run `python` with these arguments to its end. The first is a module, `devlint` or `flake8`, or a file.

    Raises: TimeoutError: it does not end.
    """
    return wait(start(arguments, cwd, environment, finalized=finalized, merged=merged))


def start(
    arguments: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    *,
    finalized: bool = False,
    merged: bool = False,
) -> Forked:
    """Start `python` with these arguments. With `merged`, standard error goes to standard output."""
    streams = Path(tempfile.mkdtemp(prefix="streams-"))
    for name in _STREAMS:
        (streams / name).touch()
    job = {
        "arguments": list(arguments),
        "cwd": str(cwd),
        "environment": dict(environment),
        "streams": str(streams),
        "finalized": finalized,
        "merged": merged,
    }
    module = "devlint" if arguments[0].endswith(".py") else arguments[0]
    return Forked(module, int(_asked(module, job)), streams)


def wait(process: Forked, *, with_forks: bool = False) -> Ended:
    """Wait for the end of a process, and if asked for, of the processes that it has forked.

    Raises: TimeoutError: it does not end.
    """
    code = _asked(process.module, {"wait": process.number, "with_forks": with_forks})
    if code is None:
        raise TimeoutError
    return Ended(code, *((process.streams / name).read_text("utf-8") for name in _STREAMS[1:]))


def _asked(module: str, job: dict[str, Any]) -> Any:
    server = _server(module)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(job) + "\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())


@cache
def _server(module: str) -> subprocess.Popen[str]:
    """The process that forks for a module; it ends with this one, which closes its standard input."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.forks", module],
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(server.communicate)
    return server


def _serve() -> dict[str, Any] | None:
    """Fork for each job of a line of standard input. Returns the job in a fork, and None at the end."""
    alive: dict[int, int] = {}  # of each process the end of a pipe, of which it and its forks hold the other
    for line in sys.stdin:
        job = json.loads(line)
        if "wait" in job:
            answer = _ended(job["wait"], alive.pop(job["wait"]), with_forks=job["with_forks"])
        else:
            reading, writing = os.pipe()
            answer = os.fork()
            if not answer:
                return dict(job)
            os.close(writing)
            alive[answer] = reading
        print(json.dumps(answer), flush=True)  # noqa: T201
    return None


def _ended(number: int, alive: int, *, with_forks: bool) -> int | None:
    """The exit code of a process; None if it had to be killed."""
    until = time.monotonic() + PATIENCE
    code = exit_code_of(number, until)
    if with_forks and code is not None:
        select.select([alive], [], [], max(until - time.monotonic(), 0))
    os.close(alive)
    if code is None:
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
    return code


def exit_code_of(number: int, until: float) -> int | None:
    """The exit code of a child process; None if it has not ended by then, on the monotonic clock."""
    while time.monotonic() < until:
        ended, status = os.waitpid(number, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    return None


_exit_code: int | None = None
"""The exit code of a fork that has run its program, and is not to be finalized."""


def _leave() -> None:
    """End a fork after everything else that is registered for its exit."""
    if _exit_code is not None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        os._exit(_exit_code)


def _run(job: dict[str, Any]) -> None:
    """Run the program of a job, and keep its exit code if it is to end without being finalized."""
    global _exit_code  # noqa: PLW0603
    code: int | None = 1
    try:
        _become(job)
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        raise
    except KeyboardInterrupt:
        code = None  # Python ends the process by the signal
        raise
    finally:
        _exit_code = None if job["finalized"] else code
        if not atexit._ncallbacks():
            atexit.register(_leave)  # `devlint run` has run all that was registered


def _become(job: dict[str, Any]) -> None:
    """Become `python` with the arguments of a job."""
    os.chdir(job["cwd"])
    before = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ.clear()
    os.environ.update(job["environment"])
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:] = [job["cwd"], *(path for path in paths if path not in before), *sys.path[1:]]
    site.USER_BASE = site.USER_SITE = None  # the environment says where these are
    for number, name in enumerate(_STREAMS):
        os.dup2(os.open(Path(job["streams"], name), os.O_RDWR), number)
    if job["merged"]:
        os.dup2(1, 2)
    random.seed()
    sys.stdin = os.fdopen(0)
    name, *sys.argv[1:] = job["arguments"]
    if name.endswith(".py"):
        sys.argv[0] = name
        runpy.run_path(name, run_name="__main__")
    else:
        runpy.run_module(name, run_name="__main__", alter_sys=True)


def _prepare(module: str) -> None:
    """Do once what each fork would do: import, and decode the table of operators.

    What exists then is frozen: a fork that ends would otherwise look through all of it for garbage. Not with
    Triton, which torch's builds for CUDA import: it reports what was not released when a process ends.
    """
    for name in PRELOADED[module]:
        importlib.import_module(name)
    torch = sys.modules.get("torch")
    operators = importlib.import_module("devlint.operators")
    for name in operators.names():
        operators.find(name, torch.__version__ if torch is not None else "")
    gc.collect()
    if "triton" not in sys.modules:
        gc.freeze()


if __name__ == "__main__":
    atexit.register(_leave)  # first, so that it comes last
    _prepare(sys.argv[1])
    asked = _serve()
    if asked is not None:
        _run(asked)
