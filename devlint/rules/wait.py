"""Shared by the rules on synchronization: which waits to report, and the wording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from devlint.model import (
    Cause,
    Choice,
    Confidence,
    Draft,
    Operand,
    Severity,
    Symbol,
    Synchronization,
    may_be_accelerator,
)
from devlint.rules.base import Rule
from devlint.rules.paths import confidence_of_path
from devlint.rules.wording import history


class WaitRule(Rule[Synchronization]):
    """A rule on one cause of waits.

    It reports a wait if the operand is known to be on an accelerator, or on one if there is one; if it is on
    a hot path; and if nothing has just waited for the same value.
    """

    severity = Severity.WARNING
    event = Synchronization
    cause: ClassVar[Cause]
    help_text: ClassVar[str]

    def check(self, event: Synchronization) -> Iterable[Draft]:
        """The wait, if it is to be reported."""
        operand = event.operand
        if event.cause is not self.cause or event.waited_already or operand is None:
            return
        if not may_be_accelerator(operand.device) or not self.matters(event, operand):
            return
        where = f", in {event.hot.value}" if event.hot is not None else ""
        yield Draft(
            code=self.code,
            message=f"{self.doing(event, operand)} makes the host wait for {_awaited(operand)}{where}",
            site=event.site,
            notes=history(operand),
            help=self.remedy(event),
            cause=event.site,
            confidence=self.confidence(event, operand),
        )

    def matters(self, event: Synchronization, operand: Operand) -> bool:  # noqa: ARG002
        """Whether the wait happens often enough to be reported."""
        return event.hot is not None

    def confidence(self, event: Synchronization, operand: Operand) -> Confidence | None:  # noqa: ARG002
        """The confidence of the rule, if lower than that of the observer."""
        return confidence_of_path(event)

    def remedy(self, event: Synchronization) -> str:  # noqa: ARG002
        """The remedy, in one line."""
        return self.help_text

    def doing(self, event: Synchronization, operand: Operand) -> str:
        """What makes the host wait, as the subject of the message."""
        raise NotImplementedError


def _awaited(operand: Operand) -> str:
    """The device for which the host waits; for a choice, the accelerator."""
    device = operand.device
    if isinstance(device, Symbol):
        return "the device"
    return str(device.accelerator if isinstance(device, Choice) else device)
