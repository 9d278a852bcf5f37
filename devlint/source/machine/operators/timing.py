"""Time spans measured with the host's clock."""

from __future__ import annotations

from devlint.model import Confidence, SettingKind
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.values import FLOAT, Clock, Value
from devlint.source.machine.heap.machine import Machine


def elapsed(machine: Machine, ended: Value, begun: Clock) -> Value:
    """`time.time() - begun`: device operations between the readings may still be running."""
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
