"""The source observer. Text goes in, events come out; nothing that it reads is executed.

LibCST takes longer to import than most files take to check, so what needs it is imported when it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    from devlint.source.observation import Observation, observe

__all__ = ["Observation", "UnreadableSource", "observe"]


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module("devlint.source.observation"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
