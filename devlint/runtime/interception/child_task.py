"""The task of a child process: to observe itself, and to write a report.

A spawned process only has what is sent to it: the task is pickled with the process object, and executed when
it is unpickled. A forked process has everything already, and starts counting from zero.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Any

from devlint.instrumentation.hooks import Failed, Leave, hooked, report_failure
from devlint.instrumentation.import_hook import ImportHook
from devlint.instrumentation.patches import Patches
from devlint.runtime.policy.settings import RunSettings

_TASK = "_devlint_task"


@dataclass(frozen=True, slots=True)
class ChildTask:
    """The task of observing a child process."""

    report: str
    """The path of the file to write."""
    settings: RunSettings
    observe: Observe
    """Called in a spawned process when it has imported torch. A module-level function, so that it can be
    pickled."""

    def __reduce__(self) -> tuple[Callable[..., ChildTask], tuple[str, RunSettings, bytes]]:
        # Pickled separately, to be unpickled after torch is imported, because that imports the function's
        # module and torch.
        return _arrive, (self.report, self.settings, pickle.dumps(self.observe))


Observe = Callable[[ChildTask], AbstractContextManager[None]]
"""Pickle as a call of `_arrive`."""


def send(process: BaseProcess, task: ChildTask) -> None:
    """Attach a task to a process that is about to start."""
    vars(process)[_TASK] = task


def call_back(process: BaseProcess) -> None:
    """Detach the task after the process has started."""
    vars(process).pop(_TASK, None)


def patch(patches: Patches, carry_out: Observe, failed: Failed) -> None:
    """Have child processes carry out their tasks. `failed` is told of an error of devlint's own."""

    def begin(process: BaseProcess, *_: Any, **__: Any) -> Leave | None:
        task: ChildTask | None = vars(process).pop(_TASK, None)
        if task is None:
            return None
        stack = ExitStack()
        stack.callback(append, task.report, {DONE: True})
        stack.enter_context(carry_out(task))
        return stack.__exit__

    patches.wrap(BaseProcess, "_bootstrap", hooked(begin, failed))


def _arrive(report: str, settings: RunSettings, packed: bytes) -> ChildTask:
    """Called in a spawned process, when the process object is unpickled."""

    def observe(task: ChildTask) -> AbstractContextManager[None]:
        unpacked: Observe = pickle.loads(packed)
        return unpacked(task)

    patch(Patches(), awaiting_torch, report_failure)
    return ChildTask(report, settings, observe)


@contextmanager
def awaiting_torch(task: ChildTask) -> Iterator[None]:
    """Observe from the import of torch on, if it is ever imported."""
    with ExitStack() as stack:
        hook = ImportHook("torch", lambda: stack.enter_context(task.observe(task)), report_failure)
        hook.wait()
        stack.callback(hook.stop)
        yield


def append(path: str, line: dict[str, Any]) -> None:
    """Append a line to a report. A line that cannot be written is lost."""
    with suppress(OSError), open(path, "a", encoding="utf-8") as file:  # noqa: PTH123 - as it was sent
        file.write(json.dumps(line) + "\n")


DONE = "done"
"""The key of a report's last line."""
AT_REST = "at rest"
"""The key of a line after which, for now, nothing is left to report."""
