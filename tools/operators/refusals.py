"""How a call ends on a CUDA build, in a letter: where its results lie, or with which text it was refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

ON_DEVICE, ON_HOST, ON_BOTH, NO_TENSOR = "d", "h", "b", "n"
EXACT, ITERATOR, OTHER = "E", "I", "O"
REFUSED = frozenset((EXACT, ITERATOR, OTHER))
ABSENT = "-"
"""The call has no such operand."""
UNASKED = "?"
"""Nothing to learn: the call fails even with all operands on the device, or the process crashed."""
MEANINGS = {
    ON_DEVICE: "runs, all results on the device",
    ON_HOST: "runs, all results on the host",
    ON_BOTH: "runs, some results on the device and some on the host",
    NO_TENSOR: "runs, no tensor among the results",
    EXACT: "raises 'got X is on cpu, different from other tensors on cuda:0'",
    ITERATOR: "raises 'found at least two devices, cuda:0 and cpu'",
    OTHER: "raises something else",
    ABSENT: "no such operand in this call",
    UNASKED: "nothing learnt: the call raises with all operands on the device, too, or crashed the process",
}

_TEXTS = ((EXACT, "different from other tensors on"), (ITERATOR, "found at least two devices"))


def outcome(call: Callable[[], Any]) -> tuple[str, str]:
    """The letter for a call, and the first line of what it raised."""
    try:
        results = call()
    except Exception as error:  # whatever an operator raises is its verdict
        text = str(error).partition("\n")[0]
        return next((letter for letter, part in _TEXTS if part in text), OTHER), text
    return where(tree_leaves(results)), ""


def where(results: Iterable[Any]) -> str:
    """The letter for results."""
    devices = {value.device.type for value in results if isinstance(value, torch.Tensor)}
    if not devices:
        return NO_TENSOR
    return ON_BOTH if len(devices) > 1 else ON_HOST if devices == {"cpu"} else ON_DEVICE
