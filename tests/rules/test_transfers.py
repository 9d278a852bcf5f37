"""Tests of the rules on transfers with given events: when they report, and the edits that they request."""

from __future__ import annotations

from typing import Any

import pytest

from devlint.model import (
    CPU,
    Action,
    Applicability,
    Concrete,
    Confidence,
    Device,
    Draft,
    EditRequest,
    Event,
    HotPath,
    Move,
    Operand,
    Origin,
    OriginStep,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
    Transfer,
)
from devlint.rules import registry
from devlint.rules.engine import judge

CUDA = Concrete("cuda", 0)
X = Symbol("x", SymbolKind.TENSOR)
FACTORY, MOVE, TARGET = SiteId(1), SiteId(2), SiteId(3)


def said(code: str, event: Event) -> list[Draft]:
    """The findings of one rule for an event."""
    rule = registry.rule(code)
    assert rule is not None
    return list(rule.check(event))


def made(operator: str = "torch.zeros", device: Device = CPU, **more: Any) -> OriginStep:
    """A factory call that names no device."""
    return OriginStep(Step.MADE, FACTORY, device, operator, **{"implicit": True, **more})


def moved(device: Device, site: int) -> OriginStep:
    """A `.to()`."""
    return OriginStep(Step.MOVED, SiteId(site), device, "torch.Tensor.to")


def move(
    step: OriginStep,
    target: Device = CUDA,
    operand: SiteId = FACTORY,
    hot: HotPath | None = None,
    **more: Any,
) -> Move:
    """`torch.zeros(n).to(target)`."""
    value = Operand("torch.zeros(n)", operand, step.device, origin=Origin((step,)))
    kept = more.pop("kept", True)
    return Move(MOVE, hot, Confidence.CERTAIN, "torch.Tensor.to", value, step.device, target, kept, **more)


def transfer(
    source: Device, target: Device, *steps: OriginStep, hot: HotPath | None = None, **more: Any
) -> Transfer:
    """A copy of `x`."""
    operand = Operand("x", SiteId(9), source, origin=Origin(steps))
    return Transfer(SiteId(10), hot, Confidence.CERTAIN, "torch.Tensor.to", operand, source, target, **more)


class TestMadeOnHostThenMoved:
    def test_the_device_goes_into_the_factory_call_and_the_move_goes(self) -> None:
        (draft,) = said("DL301", move(made(), target_site=TARGET))
        assert draft.fix is not None
        assert draft.fix.applicability is Applicability.SAFE
        assert draft.fix.edits == (
            EditRequest(FACTORY, Action.APPEND_ARGUMENT, "device={}", quoted=TARGET),
            EditRequest(MOVE, Action.KEEP_RECEIVER),
        )

    def test_a_target_that_no_expression_names_is_written_out(self) -> None:
        (draft,) = said("DL301", move(made(), Concrete("cuda", 1)))
        assert draft.fix is not None
        assert draft.fix.edits[0].text == 'device="cuda:1"'

    def test_a_move_that_converts_is_reported_without_a_fix(self) -> None:
        (draft,) = said("DL301", move(made(), target_site=TARGET, changes_dtype=True))
        assert draft.fix is None

    def test_a_target_that_cannot_be_written_is_reported_without_a_fix(self) -> None:
        (draft,) = said("DL301", move(made(), Symbol("x", SymbolKind.TENSOR)))
        assert draft.fix is None

    @pytest.mark.parametrize(
        ("operator", "applicability"),
        [
            ("torch.arange", Applicability.SAFE),
            ("torch.hann_window", Applicability.UNSAFE),
            ("torch.randn", Applicability.UNSAFE),
        ],
    )
    def test_the_fix_is_safe_only_where_every_device_gives_the_same_bits(
        self, operator: str, applicability: Applicability
    ) -> None:
        (draft,) = said("DL301", move(made(operator), target_site=TARGET, hot=HotPath.FORWARD))
        assert draft.fix is not None
        assert draft.fix.applicability is applicability

    @pytest.mark.parametrize(
        ("operator", "hot", "confidence"),
        [
            ("torch.zeros", None, Confidence.POSSIBLE),
            ("torch.randn", None, Confidence.POSSIBLE),
            ("torch.zeros", HotPath.STEP, None),
            ("torch.randn", HotPath.STEP, None),
        ],
    )
    @pytest.mark.parametrize("target", [CUDA, Symbol("device", SymbolKind.DEVICE)])
    def test_off_the_hot_path_the_copy_costs_next_to_nothing(
        self, operator: str, hot: HotPath | None, confidence: Confidence | None, target: Device
    ) -> None:
        (draft,) = said("DL301", move(made(operator), target, hot=hot))
        assert draft.confidence is confidence

    @pytest.mark.parametrize("operator", ["torch.tensor", "torch.as_tensor", "torch.from_numpy"])
    def test_data_that_are_on_the_host_anyway_are_left_alone(self, operator: str) -> None:
        assert not said("DL301", move(made(operator)))

    @pytest.mark.parametrize(
        "event",
        [
            move(made(), target=CPU),
            move(made(), kept=False),
            move(made(), operand=SiteId(5)),
            move(made(tied=True)),
            move(made(implicit=False)),
            move(made(device=CUDA)),
            move(moved(CPU, 1)),
        ],
        ids=["to the host", "dropped", "by name", "tied", "host asked for", "on a device", "not made there"],
    )
    def test_silent(self, event: Move) -> None:
        assert not said("DL301", event)


class TestLoopInvariantMove:
    def test_an_upload_in_any_loop(self) -> None:
        assert said("DL302", transfer(CPU, CUDA, loop_invariant=True))

    def test_a_download_in_any_loop(self) -> None:
        assert said("DL302", transfer(CUDA, CPU, loop_invariant=True))

    def test_silent_where_the_loop_changes_it(self) -> None:
        assert not said("DL302", transfer(CPU, CUDA))


class TestRoundTrip:
    def test_the_download_is_shown(self) -> None:
        (draft,) = said("DL303", transfer(CPU, CUDA, made(device=CUDA), moved(CPU, 4)))
        assert [note.site for note in draft.notes] == [SiteId(4)]

    def test_work_on_the_host_lies_between(self) -> None:
        computed = OriginStep(Step.DERIVED, SiteId(5), CPU, "torch.linalg.eigh")
        assert said("DL303", transfer(CPU, CUDA, made(device=CUDA), moved(CPU, 4), computed))

    def test_it_may_be_kept_meanwhile(self) -> None:
        kept = OriginStep(Step.ATTRIBUTE, SiteId(5), CPU, "cache")
        assert said("DL303", transfer(CPU, CUDA, made(device=CUDA), moved(CPU, 4), kept))

    @pytest.mark.parametrize(
        "steps",
        [(made(),), (made(), moved(CPU, 4)), (made(device=CUDA), moved(CPU, 4), made())],
        ids=["made on the host", "never on a device", "made anew"],
    )
    def test_silent(self, steps: tuple[OriginStep, ...]) -> None:
        assert not said("DL303", transfer(CPU, CUDA, *steps))


class TestBlockingUpload:
    @pytest.mark.parametrize(
        ("pinned", "size", "confidence"),
        [
            (True, None, Confidence.CERTAIN),
            (False, None, Confidence.LIKELY),
            (False, 1 << 20, Confidence.CERTAIN),
            (False, 8, None),
            (None, None, None),
        ],
    )
    def test_how_much_is_copied_is_not_known_in_source_text(
        self, pinned: bool | None, size: int | None, confidence: Confidence | None
    ) -> None:
        event = transfer(CPU, CUDA, hot=HotPath.LOADER_LOOP, pinned=pinned, bytes=size)
        rule = registry.rule("DL304")
        assert rule is not None
        assert [draft.confidence for draft in judge([event], [rule])] == [confidence] * (
            confidence is not None
        )


class TestAsyncDownload:
    def test_the_read_is_shown(self) -> None:
        event = transfer(CUDA, CPU, non_blocking=True, used_before_wait=SiteId(12))
        (draft,) = said("DL305", event)
        assert [note.site for note in draft.notes] == [SiteId(12)]

    def test_silent_where_nothing_reads_it_early(self) -> None:
        assert not said("DL305", transfer(CUDA, CPU, non_blocking=True))

    def test_an_upload_is_in_order_with_what_reads_it(self) -> None:
        assert not said("DL305", transfer(CPU, CUDA, non_blocking=True, used_before_wait=SiteId(12)))


class TestSmallUpload:
    @pytest.mark.parametrize(("size", "speaks"), [(8, True), (1 << 20, False), (None, False)])
    def test_what_is_written_in_python_is_small_where_its_size_is_known(
        self, size: int | None, speaks: bool
    ) -> None:
        written = OriginStep(Step.MADE, FACTORY, CPU, "torch.tensor")
        numbers = transfer(CPU, CUDA, written, hot=HotPath.FORWARD, bytes=size)
        assert bool(said("DL306", numbers)) is speaks

    def test_a_small_batch_has_to_come_up(self) -> None:
        assert not said("DL306", transfer(CPU, CUDA, hot=HotPath.FORWARD, bytes=8))

    def test_silent_off_the_hot_path(self) -> None:
        assert not said("DL306", transfer(CPU, CUDA, bytes=8))


class TestMoveThatDoesNothing:
    def test_behind_a_call_the_move_can_go(self) -> None:
        (draft,) = said("DL308", move(made(device=CUDA, implicit=False)))
        assert draft.fix is not None
        assert draft.fix.edits == (EditRequest(MOVE, Action.KEEP_RECEIVER),)

    @pytest.mark.parametrize(
        ("device", "confidence"), [(X, Confidence.POSSIBLE), (Symbol("device", SymbolKind.DEVICE), None)]
    )
    def test_whatever_the_device_is_called(self, device: Device, confidence: Confidence | None) -> None:
        (draft,) = said("DL308", move(made(device=device, implicit=False), device))
        assert draft.confidence is confidence

    @pytest.mark.parametrize(
        "event",
        [
            move(made()),
            move(made(device=CUDA, implicit=False), copy=True),
            move(made(device=CUDA, implicit=False), changes_dtype=True),
            move(made(device=CUDA, implicit=False), kept=False),
            move(made(device=Concrete("cuda"), implicit=False)),
            move(made(), target=CPU),
            move(made(implicit=False), target=CPU),
        ],
        ids=[
            "moves",
            "copies",
            "converts",
            "dropped",
            "cuda and cuda:0",
            "on the host by default",
            "on the host",
        ],
    )
    def test_silent(self, event: Move) -> None:
        assert not said("DL308", event)
