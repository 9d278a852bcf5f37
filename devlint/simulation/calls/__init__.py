"""The behavior of torch's functions on simulated devices: tables from function to handler, one module for
each subject."""

from __future__ import annotations

from typing import Any

from devlint.simulation.calls import (
    attributes,
    comparisons,
    factories,
    host_access,
    moves,
    outputs,
    placements,
    sparse,
    undisturbed,
)
from devlint.simulation.layer import Handler


def handlers() -> dict[Any, Handler]:
    """All handlers, by the function that function modes get."""
    found: dict[Any, Handler] = {}
    for module in (attributes, comparisons, factories, host_access, moves, placements, sparse, undisturbed):
        found |= module.HANDLERS
    return found | outputs.comparing(found)
