"""Which calls of torch's operator database raise with one operand left on the host, and with which text."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.simulation import Simulation
from tests.cuda.record.ground import Ground
from tests.cuda.record.part import SIMULATED, Fields, Observer, Part
from tools.operators.samples import entries
from tools.operators.verdicts import line_of


def _seen_on_cuda(name: str) -> list[Fields]:
    """As `tests/simulation/op_db_verdicts.tsv` has it."""
    return [tuple(line_of(name).rstrip("\n").split("\t")[1:])]


def _seen_on_simulated_devices(name: str) -> list[Fields]:
    with Simulation("cuda"):
        return _seen_on_cuda(name)


def _subjects(observer: Observer, ground: Ground) -> Sequence[str]:  # noqa: ARG001 (as any part's)
    return list(entries())


PART = Part(
    name="device_rules",
    shows="how each call of torch's operator database ends with one operand left on the host",
    columns=("fingerprint of the calls", "operand=letters of tools/operators/refusals.py", "other texts"),
    subjects=_subjects,
    observers=(
        Observer("torch", _seen_on_cuda, workers=8),
        Observer("simulated", _seen_on_simulated_devices, SIMULATED, workers=12),
    ),
    seconds=100,
)
