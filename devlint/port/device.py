"""The expression for a device at a place, or why there is none."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst


class Device(NamedTuple):
    """A device that code at a place can use."""

    expression: str
    is_object: bool = True
    """Whether it is certainly a `torch.device`, not a string."""

    def node(self) -> cst.BaseExpression:
        """The expression."""
        return cst.parse_expression(self.expression)

    def kind(self, torch: str) -> str:
        """An expression for its type, `cuda` or `cpu`; the argument is the name of torch in the file."""
        return f"{self.expression}.type" if self.is_object else f"{torch}.device({self.expression}).type"


class NoDevice(NamedTuple):
    """No device is available at a place."""

    reason: str
