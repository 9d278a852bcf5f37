"""How a device is spelled at a place, or why it cannot be."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst


class Device(NamedTuple):
    """A device as the code of a place can name it."""

    expression: str
    is_object: bool = True
    """Whether it is surely a `torch.device`, and not perhaps a string."""

    def node(self) -> cst.BaseExpression:
        """The expression."""
        return cst.parse_expression(self.expression)

    def kind(self, torch: str) -> str:
        """An expression of its type, `cuda` or `cpu`, where the file has this name for torch."""
        return f"{self.expression}.type" if self.is_object else f"{torch}.device({self.expression}).type"


class NoDevice(NamedTuple):
    """There is no device that a place could name."""

    reason: str
