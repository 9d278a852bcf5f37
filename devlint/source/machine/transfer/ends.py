"""How statements end."""

from __future__ import annotations

from enum import Enum


class End(Enum):
    """How a statement ends."""

    NEXT = "the next statement runs"
    RETURN = "the function returns"
    RAISE = "an error is raised"
    BREAK = "the loop is left"
    CONTINUE = "the next turn begins"
