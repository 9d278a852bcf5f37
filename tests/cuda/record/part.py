"""What a part of a record is: who is asked about what, and how long that may take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tests.cuda.record.ground import Ground

Fields: TypeAlias = tuple[str, ...]
Ask: TypeAlias = Callable[[str], list[Fields]]
"""What is seen of one subject, one tuple a line. It runs in a process apart."""


@dataclass(frozen=True, slots=True)
class Observer:
    """One means of seeing what happens. Each has processes of its own: some cannot be switched off again."""

    name: str
    ask: Ask
    grounds: tuple[Ground, ...] = (Ground.CUDA, Ground.NULL_DRIVER)
    """Where it can be asked."""
    workers: int = 1
    """How many processes share the subjects."""
    timed: bool = False
    """Whether it measures time, and so must be alone."""
    patience: float = 60.0
    """Seconds after which an answer is given up, the start of the process included."""


SIMULATED = (Ground.SIMULATED,)
"""The grounds of an observer of simulated devices. It is asked on every machine, with its GPUs hidden."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a record."""

    name: str
    shows: str
    """In a line."""
    columns: Fields
    subjects: Callable[[Observer, Ground], Sequence[str]]
    """What an observer is asked about, the most telling first."""
    observers: tuple[Observer, ...]
    seconds: float
    """How long it may take in all."""

    def on(self, ground: Ground) -> list[tuple[Observer, Ground]]:
        """The observers that are asked on a machine, each with what it sees there."""
        asked = []
        for observer in self.observers:
            if ground in observer.grounds:
                asked.append((observer, ground))
            elif observer.grounds == SIMULATED:
                asked.append((observer, Ground.SIMULATED))
        return asked
