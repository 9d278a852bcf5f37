"""Runs programs under `devlint run`, each in a fork of a process with torch imported; started by `forks.py`.

Reads a job as a line of JSON from standard input and answers with a line: the exit code, or `null` where the
program was given up. It imports nothing of `tests`, since a program may have a package of that name.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
from contextlib import suppress
from typing import Any

for name in ("torch", "numpy", "matplotlib.pyplot", "devlint.cli", "devlint.runtime.api.simulate", "tqdm"):
    with suppress(ImportError):
        importlib.import_module(name)

from stand_in import synthetic  # noqa: E402 - it imports torchvision, if there is one

synthetic.install()


def work(job: dict[str, Any]) -> None:
    """Become the program."""
    os.setsid()
    os.chdir(job["directory"])
    os.environ.update(job["settings"])
    sys.path[0:1] = ["", *job["paths"]]  # devlint puts the program's directory in the first place
    for number, target in ((0, os.devnull), (1, job["errors"]), (2, job["errors"])):
        file = os.open(target, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        os.dup2(file, number)
    code = 1
    try:
        import sitecustomize  # noqa: PLC0415 - the stand-in, which has to see the job's settings

        sitecustomize.begin()
        sys.argv = ["devlint", *job["arguments"]]
        code = importlib.import_module("devlint.cli").start()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def wait(child: int, seconds: float) -> int | None:
    """The exit code of a child; None if it had to be ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


for line in sys.stdin:
    asked = json.loads(line)
    forked = os.fork()
    if not forked:
        work(asked)
    sys.stdout.write(json.dumps(wait(forked, asked["patience"])) + "\n")
    sys.stdout.flush()
