"""Reasons to withhold events: each has a name, and follows from the meaning of the program."""

from __future__ import annotations

from enum import Enum

from devlint.model.event import Event
from devlint.model.finding import Finding
from devlint.model.value import value


class Silence(Enum):
    """A reason to withhold an event. The value is the name that users see."""

    PERIODIC = "periodic"
    RARE_BRANCH = "rare-branch"
    HOST_BY_CONTRACT = "host-by-contract"
    WAITED_ALREADY = "waited-already"
    FLAG_OFF = "flag-off"
    ONCE = "once"
    DROPPED_MOVE = "dropped-move"
    EXPECTED_ERROR = "expected-error"
    HOST_DEVICE = "host-device"

    @property
    def meaning(self) -> str:
        """The reason, in one line."""
        return _MEANINGS[self]


_MEANINGS = {
    Silence.PERIODIC: "it runs in a branch that is only taken in every n-th step",
    Silence.RARE_BRANCH: "it runs in a branch that is seldom taken: for a failure, or for the first call",
    Silence.HOST_BY_CONTRACT: "it does not happen with the values that the followed callers pass",
    Silence.WAITED_ALREADY: "the host has just waited for the same value",
    Silence.FLAG_OFF: "it only runs with a flag that is off by default",
    Silence.ONCE: "it is not on a hot path",
    Silence.DROPPED_MOVE: "it follows from a dropped move, which is reported",
    Silence.EXPECTED_ERROR: "it happens where a test expects an error",
    Silence.HOST_DEVICE: "the program has tested that the device is the host, or that the value is no tensor",
}


@value
class Silenced:
    """A withheld event, and the reason."""

    event: Event
    silence: Silence


@value
class Withheld:
    """A finding that the rules would have reported for a withheld event."""

    finding: Finding
    silence: Silence
