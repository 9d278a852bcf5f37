"""Time spans measured with the host's clock."""

from __future__ import annotations

from devlint.model import Confidence, SettingKind
from devlint.source.machine.domain.clocks import Clock
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.values import FLOAT, Value
from devlint.source.machine.heap.machine import Machine


def elapsed(machine: Machine, ended: Value, begun: Clock) -> Value:
    """`time.time() - begun`: device operations between the readings may still be running.

    In a loop that waits after it has read the clock, only the span of the first turn contains no wait. Where
    each reading ends one span and begins the next, what is still running counts in the next one.
    """
    if isinstance(ended, Clock) and ended.site == begun.site:
        return FLOAT
    if isinstance(ended, Clock) and ended.waits > begun.waits and _is_of_loop(machine, begun):
        machine.log.refute(ended.site)
    if isinstance(ended, Clock) and ended.waits == begun.waits and ended.work > begun.work:
        sure = ended.sure_work > begun.sure_work
        confidence = Confidence.CERTAIN if sure else Confidence.POSSIBLE
        machine.setting(
            SettingKind.UNSYNCHRONIZED_TIMING,
            ended.site,
            ended.name,
            related=begun.site,
            confidence=least_sure(confidence, machine.root_confidence),
        )
    return FLOAT


def _is_of_loop(machine: Machine, begun: Clock) -> bool:
    """Whether the clock was read in the loop that the running function executes."""
    loop = machine.execution.loop
    return loop is not None and loop.frame is machine.frame and begun.loop == loop.site
