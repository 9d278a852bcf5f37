"""The observer of source code: from text to events, without executing the text.

LibCST takes longer to import than most files take to check, so modules that need it are imported on use.
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
