"""How a task reaches an interpreter that a program starts: by its environment, which names a file.

Whoever comes first takes the file; so a shell that starts two interpreters has one of them observed. The
environment is put back before the program runs: what it starts itself gets tickets of its own.
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
    """The file of a task, and the environment that leads there; None stands for this process's own.

    Raises:
        OSError: there is no room for the file.
        TypeError: the environment is not made of strings.
    """
    file = Path(f"{task.report}.task")
    file.write_bytes(pickle.dumps((task.report, task.settings, pickle.dumps(task.observe))))
    before = os.environ if environment is None else environment
    paths = os.pathsep.join(filter(None, (_FOLDER, before.get("PYTHONPATH"))))
    return file, {**before, _VARIABLE: str(file), "PYTHONPATH": paths}


def redeem() -> None:
    """In an interpreter that starts: carry out the task that it was given.

    Raises:
        OSError: somebody else has taken it.
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
    """Have the program find what it would find without this."""
    paths = os.environ["PYTHONPATH"].split(os.pathsep)
    paths.remove(_FOLDER)
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    if not paths:
        del os.environ["PYTHONPATH"]
    sys.path[:] = [path for path in sys.path if path != _FOLDER]
