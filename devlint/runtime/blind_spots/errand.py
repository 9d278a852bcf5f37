"""What a child process is told to do: observe itself, and write down what it saw.

A spawned process knows nothing but what it is sent. An errand goes along with the process's object, and asks
to be carried out as soon as it arrives there. A forked one has everything already, and counts from nought.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Any

from devlint.runtime.launching.arrival import Arrival
from devlint.runtime.patches import Patches
from devlint.runtime.settings import Settings

_ERRAND = "_devlint_errand"


@dataclass(frozen=True, slots=True)
class Errand:
    """To observe a child process."""

    report: str
    """The path of the file to write."""
    settings: Settings

    def __reduce__(self) -> tuple[Callable[..., Errand], tuple[str, Settings]]:
        return _arrive, (self.report, self.settings)


def send(process: BaseProcess, errand: Errand) -> None:
    """Give an errand to a process that is about to start."""
    vars(process)[_ERRAND] = errand


def call_back(process: BaseProcess) -> None:
    """The process has started: its object here needs the errand no more."""
    vars(process).pop(_ERRAND, None)


def patch(patches: Patches, carry_out: Callable[[Errand], AbstractContextManager[None]]) -> None:
    """Have child processes carry out their errands."""

    def around(bootstrap: Callable[..., Any]) -> Callable[..., Any]:
        def bootstrap_observed(process: BaseProcess, *args: Any, **kwargs: Any) -> Any:
            errand: Errand | None = vars(process).pop(_ERRAND, None)
            if errand is None:
                return bootstrap(process, *args, **kwargs)
            with carry_out(errand):
                return bootstrap(process, *args, **kwargs)

        return bootstrap_observed

    patches.wrap(BaseProcess, "_bootstrap", around)


def _arrive(report: str, settings: Settings) -> Errand:
    """In a spawned process, where the object of the process is read."""
    patch(Patches(), _in_spawned)
    return Errand(report, settings)


@contextmanager
def _in_spawned(errand: Errand) -> Iterator[None]:
    """Observe from the moment that torch is there; it may never be."""
    sessions: list[AbstractContextManager[None]] = []

    def begin() -> None:
        from devlint.runtime.blind_spots.reporting import in_spawned  # noqa: PLC0415 - imports torch

        session = in_spawned(errand)
        session.__enter__()
        sessions.append(session)

    arrival = Arrival("torch", begin)
    arrival.wait()
    try:
        yield
    finally:
        arrival.stop()
        for session in sessions:
            session.__exit__(None, None, None)
        finish(errand)


def append(path: str, line: dict[str, Any]) -> None:
    """Add a line to a report. Where it cannot be written, the report says less."""
    with suppress(OSError), open(path, "a", encoding="utf-8") as file:  # noqa: PTH123 - as it was sent
        file.write(json.dumps(line) + "\n")


DONE = "done"
"""The key of a report's last line."""
AT_REST = "at rest"
"""The key of a line after which, for the time being, there is nothing more to tell."""


def finish(errand: Errand) -> None:
    """Say in the report that there is nothing more to come."""
    append(errand.report, {DONE: True})
