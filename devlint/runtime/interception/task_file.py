"""Passing a task to an interpreter that a program starts, by an environment variable that names a file.

The first interpreter takes the file, so if a shell starts two, one of them is observed. The environment is
restored before the program runs; processes that it starts get tasks of their own.
"""

from __future__ import annotations

import atexit
import os
import pickle
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from os import getpid
from pathlib import Path

from devlint.runtime.interception.child_task import DONE, ChildTask, Observe, append, awaiting_torch

_VARIABLE = "DEVLINT_TASK"
_FOLDER = str(Path(__file__).parent / "startup")


def issue(task: ChildTask, environment: Mapping[str, str] | None) -> tuple[Path, dict[str, str]]:
    """The file of a task, and the environment that names it. `environment` is None for that of this process.

    Raises: OSError: if the file cannot be written. TypeError: if the environment does not consist of strings.
    """
    file = Path(f"{task.report}.task")
    file.write_bytes(pickle.dumps((task.report, task.settings, pickle.dumps(task.observe))))
    before = os.environ if environment is None else environment
    paths = os.pathsep.join(filter(None, (_FOLDER, before.get("PYTHONPATH"))))
    return file, {**before, _VARIABLE: str(file), "PYTHONPATH": paths}


def redeem() -> None:
    """In a starting interpreter: execute its task.

    Raises: OSError: if another process has taken it.
    """
    file = Path(os.environ.pop(_VARIABLE))
    _leave_path()
    taken = file.rename(f"{file}.taken")
    report, settings, packed = pickle.loads(taken.read_bytes())
    taken.unlink()
    process, stack = getpid(), ExitStack()

    def observe(task: ChildTask) -> AbstractContextManager[None]:
        unpacked: Observe = pickle.loads(packed)
        return unpacked(task)

    def end() -> None:
        if getpid() != process:
            return
        try:
            stack.close()
        finally:
            append(report, {DONE: True})

    stack.enter_context(awaiting_torch(ChildTask(report, settings, observe)))
    atexit.register(end)


def _leave_path() -> None:
    """Restore the environment and the import path of the program."""
    paths = os.environ["PYTHONPATH"].split(os.pathsep)
    paths.remove(_FOLDER)
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    if not paths:
        del os.environ["PYTHONPATH"]
    sys.path[:] = [path for path in sys.path if path != _FOLDER]
