"""What a child process is told to do: observe itself, and write down what it saw.

A spawned process knows nothing but what it is sent. A task goes along with the process's object, and asks
to be carried out as soon as it arrives there. A forked one has everything already, and counts from nought.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Any

from devlint.instrumentation.import_hook import ImportHook
from devlint.instrumentation.patches import Patches
from devlint.runtime.policy.settings import RunSettings

_TASK = "_devlint_task"


@dataclass(frozen=True, slots=True)
class ChildTask:
    """To observe a child process."""

    report: str
    """The path of the file to write."""
    settings: RunSettings
    observe: Observe
    """Called in a spawned process once it has torch. A function of a module, so that pickle finds it."""

    def __reduce__(self) -> tuple[Callable[..., ChildTask], tuple[str, RunSettings, bytes]]:
        # Packed by itself, to be unpacked when torch is there: that imports the function's module, and torch.
        return _arrive, (self.report, self.settings, pickle.dumps(self.observe))


Observe = Callable[[ChildTask], AbstractContextManager[None]]
"""Makes what observes the process that it is called in, and reports."""


def send(process: BaseProcess, task: ChildTask) -> None:
    """Give a task to a process that is about to start."""
    vars(process)[_TASK] = task


def call_back(process: BaseProcess) -> None:
    """The process has started: its object here needs the task no more."""
    vars(process).pop(_TASK, None)


def patch(patches: Patches, carry_out: Observe) -> None:
    """Have child processes carry out their tasks."""

    def around(bootstrap: Callable[..., Any]) -> Callable[..., Any]:
        def bootstrap_observed(process: BaseProcess, *args: Any, **kwargs: Any) -> Any:
            task: ChildTask | None = vars(process).pop(_TASK, None)
            if task is None:
                return bootstrap(process, *args, **kwargs)
            try:
                with carry_out(task):
                    return bootstrap(process, *args, **kwargs)
            finally:
                append(task.report, {DONE: True})

        return bootstrap_observed

    patches.wrap(BaseProcess, "_bootstrap", around)


def _arrive(report: str, settings: RunSettings, packed: bytes) -> ChildTask:
    """In a spawned process, where the object of the process is read."""

    def observe(task: ChildTask) -> AbstractContextManager[None]:
        unpacked: Observe = pickle.loads(packed)
        return unpacked(task)

    patch(Patches(), awaiting_torch)
    return ChildTask(report, settings, observe)


@contextmanager
def awaiting_torch(task: ChildTask) -> Iterator[None]:
    """Observe from the moment that torch is there; it may never be."""
    with ExitStack() as stack:
        hook = ImportHook("torch", lambda: stack.enter_context(task.observe(task)))
        hook.wait()
        stack.callback(hook.stop)
        yield


def append(path: str, line: dict[str, Any]) -> None:
    """Add a line to a report. Where it cannot be written, the report says less."""
    with suppress(OSError), open(path, "a", encoding="utf-8") as file:  # noqa: PTH123 - as it was sent
        file.write(json.dumps(line) + "\n")


DONE = "done"
"""The key of a report's last line."""
AT_REST = "at rest"
"""The key of a line after which, for the time being, there is nothing more to tell."""
