"""The state of the machine that runs and programs do not share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from devlint.source.machine.heap.files import File

OF_A_RUN = (
    "_exited", "accelerator", "assigned", "assumed", "chosen", "current_device", "execution",
    "flags", "forks", "guarded", "handed_over", "has_outcomes", "listed", "loads", "log",
    "mixture_confidence", "optimized", "optional", "process", "root_confidence", "saved", "steps",
    "sure_work", "trained", "waits", "work", "worker", "written",
)  # fmt: skip
"""The state of one run of a program."""
OF_A_PROGRAM = ("entered", "following", "program", "repaired", "texts", *OF_A_RUN)
"""The state of one program, which programs do not share, unlike files."""


@contextmanager
def kept(machine: object, state: Iterable[str], *files: File) -> Iterator[None]:
    """A context that restores some state at its end, and what the given files define."""
    saved = {name: getattr(machine, name) for name in (*state, "frame") if hasattr(machine, name)}
    defined = [(each, each.scope, each.functions, each.classes, each.stars) for each in files]
    try:
        yield
    finally:
        for name, held in saved.items():
            setattr(machine, name, held)
        for each, scope, functions, classes, stars in defined:
            each.scope, each.functions, each.classes, each.stars = scope, functions, classes, stars
