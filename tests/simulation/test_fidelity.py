"""The simulation ends each call of torch's operator database as CUDA ends it.

A tenth of the operators; `python -m tests.simulation.fidelity` asks about all.
"""

from __future__ import annotations

import warnings
from zlib import crc32

import pytest

from tests.simulation.fidelity import HOST, SECOND_DEVICE, recorded, report, verdicts

TENTHS = 10
ALWAYS = (
    "add",
    "addcmul",
    "float_power",
    "index_put",
    "linalg.pinv",
    "linalg.svdvals",
    "nn.functional.bilinear",
    "nn.functional.conv2d",
    "nn.functional.ctc_loss",
    "nn.functional.embedding",
    "where",
)
"""Operators whose rules are none of the plain ones."""


@pytest.fixture(autouse=True)
def _quiet() -> None:
    warnings.simplefilter("ignore")


def test_a_tenth_of_the_operators() -> None:
    names = [name for name in recorded() if crc32(name.encode()) % TENTHS == 0 or name in ALWAYS]
    found = list(verdicts(names, [HOST, SECOND_DEVICE]))
    disagreeing = [verdict for verdict in found if not verdict.agrees or not verdict.same_values]
    assert len(found) > 2000
    assert disagreeing == [], "\n".join(report(disagreeing))
