"""A part of a record whose observer's process crashes, until the environment says that it is mended."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tests.cuda.record.ground import Ground
from tests.cuda.record.part import SIMULATED, Fields, Observer, Part

MENDED = "FRAGILE_IS_MENDED"


def _said(subject: str) -> list[Fields]:
    if subject == "crash" and MENDED not in os.environ:
        os._exit(1)
    return [(subject.upper(),)]


def _subjects(observer: Observer, ground: Ground) -> Sequence[str]:  # noqa: ARG001 (as any part's)
    return "a", "crash", "b"


PART = Part("fragile", "", ("said",), _subjects, (Observer("it", _said, SIMULATED),), 60)
