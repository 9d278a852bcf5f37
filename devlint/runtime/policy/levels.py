"""What is allowed where: the levels of a guard, explicit and implicit transfers apart."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum


class Level(Enum):
    """What happens when a thing is seen. The words are those of JAX's transfer guard."""

    ALLOW = "allow"
    """Nothing; it is not reported either."""
    LOG = "log"
    """It is reported. Of transfers, the implicit ones only."""
    DISALLOW = "disallow"
    """It raises at its line. Of transfers, the implicit ones only; explicit ones are allowed."""
    LOG_EXPLICIT = "log_explicit"
    """Transfers that the program asks for are reported too."""
    DISALLOW_EXPLICIT = "disallow_explicit"
    """Transfers that the program asks for raise too."""


TRANSFER_LEVELS = tuple(Level)
LEVELS = (Level.ALLOW, Level.LOG, Level.DISALLOW)
"""The levels of what has no explicit form."""

SUBJECTS = ("mismatch", "sync", "host_to_device", "device_to_host")


@dataclass(frozen=True, slots=True)
class Levels:
    """A level for each subject; None leaves it to the guard around."""

    mismatch: Level | None = None
    sync: Level | None = None
    host_to_device: Level | None = None
    device_to_host: Level | None = None

    def over(self, outer: Levels) -> Levels:
        """These levels, and where they say nothing the outer ones."""
        return Levels(
            *(
                getattr(outer, field.name) if getattr(self, field.name) is None else getattr(self, field.name)
                for field in fields(self)
            )
        )


DEFAULT = Levels(Level.DISALLOW, Level.LOG, Level.LOG_EXPLICIT, Level.LOG_EXPLICIT)
"""What a guard says where nobody says otherwise: report all, and let torch raise where operands clash."""


def parse(subject: str, word: str | None) -> Level | None:
    """The level that a word names.

    Raises:
        ValueError: the subject has no such level.
    """
    if word is None:
        return None
    allowed = TRANSFER_LEVELS if subject.endswith(("device", "host")) else LEVELS
    level = next((level for level in allowed if level.value == word), None)
    if level is None:
        raise ValueError(f"{subject}={word!r}: there are {', '.join(level.value for level in allowed)}")
    return level


def levels(
    mismatch: str | None = None,
    sync: str | None = None,
    host_to_device: str | None = None,
    device_to_host: str | None = None,
) -> Levels:
    """Levels from words.

    Raises:
        ValueError: a subject has no such level.
    """
    words = (mismatch, sync, host_to_device, device_to_host)
    return Levels(*(parse(subject, word) for subject, word in zip(SUBJECTS, words, strict=True)))


class DisallowedError(RuntimeError):
    """What a guard at level `disallow` raises, at the line that did it."""

    __module__ = "devlint"  # the name by which programs know it, and tracebacks show it
