"""What a file is for, by its name and the folders that it stands in, or a function, by its name.

A name proves nothing; here it is enough for silence.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Purpose(NamedTuple):
    """What a file is for besides computing."""

    tests: bool
    """It holds tests or what they need: by its name, or by a folder `tests` not far above it."""
    host: bool
    """Torch's part in it is for the CPU alone. What runs in OpenVINO is on no device of torch's."""
    export: bool
    """It writes models out in another format. What it wraps is traced, on the host as a rule."""


def purpose_of(path: str) -> Purpose:
    """What a file is for."""
    if not any(word in path for word in _WORDS):
        return _NONE
    return Purpose(*(re.search(pattern, path) is not None for pattern in (_TESTS, _HOST, _EXPORT)))


_NONE = Purpose(tests=False, host=False, export=False)
_WORDS = ("test", "cpu", "openvino", "export", "onnx")
"""One of these is in what each pattern finds. Compiling the patterns takes longer than asking the cache."""
_TESTS = r"(?:^|/)(?:(?:tests?|testing|test_utils)/(?:[^/]+/)?(?:test_[^/]*/)*[^/]*|test_[^/]*)$|_test\.py$"
_HOST = r"(?:^|/)cpu(?:/|_[^/]*$|\.py$)|_cpu\.py$|(?:^|/)openvino(?:/|_[^/]*$|\.py$)"
_WRITES_A_MODEL = r"onnx|(?:^|\.)(?:serialize|export)(?:_\w*)?$"


def writes_a_model(qualname: str) -> bool:
    """Whether a function makes a file of a module, by its name or that of its class."""
    return re.search(_WRITES_A_MODEL, qualname) is not None


_EXPORT = r"(?:^|/)(?:export(?:_[^/]*)?|exporters?|[^/]*_(?:export|onnx)|onnx_[^/]*)(?:/|\.py$)"
