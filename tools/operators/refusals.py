"""The outcome of a call on a CUDA build as a letter: the device of its results, or the text of its error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

ON_DEVICE, ON_HOST, ON_BOTH, NO_TENSOR = "d", "h", "b", "n"
EXACT, ITERATOR, OTHER = "E", "I", "O"
REFUSED = frozenset((EXACT, ITERATOR, OTHER))
ABSENT = "-"
"""The call has no such operand."""
UNTESTED = "?"
"""No result: with all operands on the device the call fails, too, or it fails because values are missing."""
MEANINGS = {
    ON_DEVICE: "runs, all results on the device",
    ON_HOST: "runs, all results on the host",
    ON_BOTH: "runs, some results on the device and some on the host",
    NO_TENSOR: "runs, no tensor among the results",
    EXACT: "raises 'got X is on cpu, different from other tensors on cuda:0'",
    ITERATOR: "raises 'found at least two devices, cuda:0 and cpu'",
    OTHER: "raises something else",
    ABSENT: "no such operand in this call",
    UNTESTED: "nothing learnt: with all operands on the device the call raises, too, or raises over values",
}

_DEVICES = re.compile("device|cuda|cpu|backend", re.IGNORECASE)
_SOURCE_FILE = re.compile(r'at "[^"]*":\d+')
_TEXTS = ((EXACT, "different from other tensors on"), (ITERATOR, "found at least two devices"))


def outcome(call: Callable[[], Any], other_device: str = "cpu") -> tuple[str, str]:
    """The letter for a call, and the first line of what it raised.

    `other_device` counts as the host: it is the device of the one operand that is not with the others.
    """
    try:
        results = call()
    except Exception as error:  # any error of an operator is a result
        text = str(error).partition("\n")[0]
        return next((letter for letter, part in _TEXTS if part in text), OTHER), text
    return _where(tree_leaves(results), torch.device(other_device)), ""


def is_about_devices(text: str) -> bool:
    """Whether an error names devices or backends; if not, it is about values, which are not computed."""
    return bool(_DEVICES.search(_SOURCE_FILE.sub("", text)))


def _where(results: Iterable[Any], other_device: torch.device) -> str:
    found = {value.device == other_device for value in results if isinstance(value, torch.Tensor)}
    if not found:
        return NO_TENSOR
    return ON_BOTH if len(found) > 1 else ON_HOST if True in found else ON_DEVICE
