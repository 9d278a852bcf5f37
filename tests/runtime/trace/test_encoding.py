"""Events as data and back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from devlint.model import (
    CPU,
    UNKNOWN,
    Cause,
    Choice,
    Concrete,
    Confidence,
    Event,
    HotPath,
    Kind,
    Move,
    Operand,
    Operation,
    Origin,
    OriginStep,
    Registration,
    RegistrationKind,
    Setting,
    SettingKind,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
    Synchronization,
    Transfer,
)
from devlint.runtime.trace.encoding import EncodingError, decode, encode

CUDA = Concrete("cuda", 0)
MADE = OriginStep(Step.MADE, SiteId(3), CPU, "torch.ones", implicit=True, value=SiteId(4))
OPERAND = Operand("self.mask", SiteId(2), CPU, origin=Origin((MADE,)), rank0=False, attribute="mask")

EVENTS: list[Event] = [
    Operation(SiteId(1), HotPath.FORWARD, Confidence.SEEN, "torch.add", (OPERAND, OPERAND)),
    Transfer(SiteId(1), None, Confidence.SEEN, "torch.Tensor.to", OPERAND, CPU, CUDA, pinned=True, bytes=12),
    Synchronization(SiteId(0), None, Confidence.SEEN, "torch.Tensor.item", Cause.HOST_READ, OPERAND, 0.25),
    Synchronization(SiteId(0), None, Confidence.SEEN, "torch.cuda.synchronize", Cause.EXPLICIT, None),
    Move(SiteId(5), None, Confidence.SEEN, "torch.Tensor.cuda", OPERAND, CPU, CUDA, kept=False),
    Registration(
        SiteId(6), None, Confidence.CERTAIN, "Net", "mask", RegistrationKind.PLAIN_TENSOR, OPERAND, SiteId(7)
    ),
    Setting(SiteId(8), None, Confidence.LIKELY, SettingKind.ORDINAL, "cuda:1", "1"),
    Operation(
        SiteId(1),
        None,
        Confidence.SEEN,
        "torch.cat",
        (
            Operand("a", SiteId(1), Symbol("x", SymbolKind.TENSOR), Kind.UNKNOWN),
            Operand("b", SiteId(1), Choice(CUDA)),
            Operand("c", SiteId(1), UNKNOWN),
        ),
    ),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_there_and_back(event: Event) -> None:
    text = json.dumps(encode(event, lambda _: None))
    assert decode(json.loads(text)) == event


def test_sites_are_told() -> None:
    told: list[int] = []
    encode(EVENTS[0], told.append)
    assert set(told) == {1, 2, 3, 4}


def test_defaults_are_left_out() -> None:
    assert encode(Operand("x", SiteId(1)), lambda _: None) == {"is": "Operand", "path": "x", "site": 1}


@pytest.mark.parametrize(
    "data",
    [
        {"is": "object"},
        {"site": 1},
        {"is": "Concrete", "type": "cuda", "colour": "red"},
        {"is": "Concrete"},
        {"is": "OriginStep", "step": "flown", "site": 1, "device": None, "operator": ""},
        {"is": ["Concrete"]},
    ],
)
def test_what_is_no_event_is_refused(data: Any) -> None:
    with pytest.raises(EncodingError):
        decode(data)
