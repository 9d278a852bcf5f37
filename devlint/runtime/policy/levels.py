"""The levels of a guard. Explicit and implicit transfers are distinguished."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum


class Level(Enum):
    """What happens when an event is observed. The words are those of JAX's transfer guard."""

    ALLOW = "allow"
    """It is not reported."""
    LOG = "log"
    """It is reported. For transfers, only implicit ones."""
    DISALLOW = "disallow"
    """An error is raised at its line. For transfers, only implicit ones; explicit ones are allowed."""
    LOG_EXPLICIT = "log_explicit"
    """Explicit transfers are reported, too."""
    DISALLOW_EXPLICIT = "disallow_explicit"
    """An error is raised for explicit transfers, too."""


TRANSFER_LEVELS = tuple(Level)
LEVELS = (Level.ALLOW, Level.LOG, Level.DISALLOW)
"""The levels of subjects other than transfers."""

SUBJECTS = ("mismatch", "sync", "host_to_device", "device_to_host")


@dataclass(frozen=True, slots=True)
class Levels:
    """A level for each subject; None means that of the guard around."""

    mismatch: Level | None = None
    sync: Level | None = None
    host_to_device: Level | None = None
    device_to_host: Level | None = None

    def over(self, outer: Levels) -> Levels:
        """These levels, with the outer ones where they are None."""
        return Levels(
            *(
                getattr(outer, field.name) if getattr(self, field.name) is None else getattr(self, field.name)
                for field in fields(self)
            )
        )


DEFAULT = Levels(Level.DISALLOW, Level.LOG, Level.LOG_EXPLICIT, Level.LOG_EXPLICIT)
"""The default levels: report everything, and let torch raise its error for a mismatch."""


def parse(subject: str, word: str | None) -> Level | None:
    """The level with this name.

    Raises: ValueError: if the subject has no such level.
    """
    if word is None:
        return None
    allowed = TRANSFER_LEVELS if subject.endswith(("device", "host")) else LEVELS
    level = next((level for level in allowed if level.value == word), None)
    if level is None:
        raise ValueError(f"{subject}={word!r}: choose from {', '.join(level.value for level in allowed)}")
    return level


def levels(
    mismatch: str | None = None,
    sync: str | None = None,
    host_to_device: str | None = None,
    device_to_host: str | None = None,
) -> Levels:
    """Levels by their names.

    Raises: ValueError: if a subject has no such level.
    """
    words = (mismatch, sync, host_to_device, device_to_host)
    return Levels(*(parse(subject, word) for subject, word in zip(SUBJECTS, words, strict=True)))


class DisallowedError(RuntimeError):
    """Raised by a guard with level `disallow`, at the line of the event."""

    __module__ = "devlint"  # its name in programs and tracebacks
