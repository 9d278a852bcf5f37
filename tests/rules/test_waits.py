"""Tests of the rules on synchronization with given events: when they report, and their messages."""

from __future__ import annotations

from typing import Any

import pytest

from devlint.model import (
    CPU,
    UNKNOWN,
    Cause,
    Choice,
    Concrete,
    Confidence,
    Device,
    Draft,
    HotPath,
    Operand,
    SiteId,
    Symbol,
    SymbolKind,
    Synchronization,
)
from devlint.rules import registry

CUDA = Concrete("cuda", 0)
SITE = SiteId(7)
CAUSES = {
    "DL201": Cause.HOST_READ,
    "DL202": Cause.BRANCH,
    "DL203": Cause.FORMAT,
    "DL204": Cause.DYNAMIC_SHAPE,
    "DL205": Cause.HOST_COPY,
    "DL206": Cause.EXPLICIT,
    "DL207": Cause.ELEMENTWISE,
    "DL208": Cause.HIDDEN_READ,
}


def wait(
    cause: Cause, device: Device = CUDA, hot: HotPath | None = HotPath.TRAINING_LOOP, **more: Any
) -> Synchronization:
    """A wait for `loss` on a device. Indexing can wait for more causes than any other operator."""
    operand = Operand("loss", SiteId(8), device)
    return Synchronization(SITE, hot, Confidence.CERTAIN, "torch.Tensor.__getitem__", cause, operand, **more)


def said(code: str, event: Synchronization) -> list[Draft]:
    """The findings of one rule for an event."""
    rule = registry.rule(code)
    assert rule is not None
    return list(rule.check(event))


@pytest.mark.parametrize(("code", "cause"), CAUSES.items())
def test_one_rule_speaks_for_each_cause(code: str, cause: Cause) -> None:
    speaking = [other for other in CAUSES if said(other, wait(cause))]
    assert speaking == [code]


@pytest.mark.parametrize(("code", "cause"), CAUSES.items())
def test_the_message_says_on_which_hot_path(code: str, cause: Cause) -> None:
    (draft,) = said(code, wait(cause))
    assert draft.message.endswith(", in the training loop")
    assert draft.site == SITE
    assert draft.help


@pytest.mark.parametrize(("code", "cause"), CAUSES.items())
def test_silent_where_the_host_has_waited_already(code: str, cause: Cause) -> None:
    assert not said(code, wait(cause, waited_already=True))


@pytest.mark.parametrize("code", [code for code in CAUSES if code != "DL206"])
@pytest.mark.parametrize("device", [CPU, UNKNOWN, Concrete("meta")])
def test_silent_where_no_accelerator_is_known(code: str, device: Device) -> None:
    assert not said(code, wait(CAUSES[code], device))


@pytest.mark.parametrize("code", [code for code in CAUSES if code != "DL207"])
def test_silent_off_the_hot_path(code: str) -> None:
    assert not said(code, wait(CAUSES[code], hot=None))


@pytest.mark.parametrize(
    ("device", "confidence"),
    [
        (CUDA, None),
        (Choice(Concrete("cuda")), None),
        (Symbol("device", SymbolKind.DEVICE), None),
        (Symbol("boxes", SymbolKind.TENSOR), Confidence.POSSIBLE),
    ],
)
def test_walking_over_elements_of_what_came_in_is_possible_off_the_hot_path(
    device: Device, confidence: Confidence | None
) -> None:
    (draft,) = said("DL207", wait(Cause.ELEMENTWISE, device, hot=None))
    assert draft.confidence is confidence


def test_of_a_choice_the_accelerator_is_waited_for() -> None:
    (draft,) = said("DL201", wait(Cause.HOST_READ, Choice(Concrete("cuda"))))
    assert draft.message == "reading `loss` makes the host wait for cuda, in the training loop"


@pytest.mark.parametrize(
    "operator", ["torch.Tensor.masked_fill", "torch.Tensor.__getitem__", "torch.linalg.inv"]
)
def test_a_hidden_read_is_reported_whoever_gave_the_scalar(operator: str) -> None:
    operand = Operand("t", SiteId(8), CUDA, rank0=True)
    event = Synchronization(SITE, HotPath.FORWARD, Confidence.CERTAIN, operator, Cause.HIDDEN_READ, operand)
    assert said("DL208", event)


def test_an_explicit_wait_needs_no_operand() -> None:
    event = Synchronization(
        SITE, HotPath.STEP, Confidence.CERTAIN, "torch.cuda.synchronize", Cause.EXPLICIT, None
    )
    (draft,) = said("DL206", event)
    assert "torch.cuda.synchronize" in draft.message
