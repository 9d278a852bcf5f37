"""The device in the text of a tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import _tensor_str

from devlint.instrumentation.patches import Patches
from devlint.simulation.scope import CallScope


def patch(patches: Patches, scope: Callable[[], CallScope | None]) -> None:
    """Add the label of a printed tensor before the other suffixes of its text."""
    add: Any = _tensor_str._add_suffixes

    def add_suffixes(text: str, suffixes: Sequence[str], indent: int, force_newline: bool) -> str:
        running = scope()
        if running is not None and running.printed is not None:
            suffixes = [f"device='{running.printed}'", *suffixes]
        return str(add(text, suffixes, indent, force_newline))

    patches.replace(_tensor_str, "_add_suffixes", add_suffixes)
