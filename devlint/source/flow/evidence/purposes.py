"""What a file is for, by its name and the folders that it stands in, or a function, by its name.

A name proves nothing; here it is enough for silence.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from devlint.model import Event, Move, Synchronization, Transfer


class Purpose(NamedTuple):
    """What a file is for besides computing."""

    tests: bool
    """It holds tests or what they need: by its name, or by a folder `tests` not far above it."""
    host: bool
    """Torch's part in it is for the CPU alone. What runs in OpenVINO is on no device of torch's."""
    export: bool
    """It writes models out in another format. What it wraps is traced, on the host as a rule."""

    def mutes(self, event: Event) -> bool:
        """Whether an event means nothing in such a file."""
        return self.export or (self.tests and _is_about_speed(event))


def purpose_of(path: str) -> Purpose:
    """What a file is for."""
    return Purpose(*(pattern.search(path) is not None for pattern in (_TESTS, _HOST, _EXPORT)))


_TESTS = re.compile(
    r"(?:^|/)(?:(?:tests?|testing|test_utils)/(?:[^/]+/)?(?:test_[^/]*/)*[^/]*|test_[^/]*)$|_test\.py$"
)
_HOST = re.compile(r"(?:^|/)cpu(?:/|_[^/]*$|\.py$)|_cpu\.py$|(?:^|/)openvino(?:/|_[^/]*$|\.py$)")
_WRITES_A_MODEL = re.compile(r"onnx|(?:^|\.)(?:serialize|export)(?:_\w*)?$")


def writes_a_model(qualname: str) -> bool:
    """Whether a function makes a file of a module, by its name or that of its class."""
    return _WRITES_A_MODEL.search(qualname) is not None


_EXPORT = re.compile(r"(?:^|/)(?:export(?:_[^/]*)?|exporters?|[^/]*_(?:export|onnx)|onnx_[^/]*)(?:/|\.py$)")


def _is_about_speed(event: Event) -> bool:
    """Whether all that could be wrong is the time that it takes, which nobody minds in a test."""
    return isinstance(event, Synchronization | Transfer) or (isinstance(event, Move) and event.kept)
