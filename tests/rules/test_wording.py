"""Tests of the wording of operators, operands and origins in findings."""

from __future__ import annotations

import pytest

from devlint.model import (
    CPU,
    UNKNOWN,
    Choice,
    Concrete,
    Confidence,
    Device,
    Kind,
    Operand,
    Operation,
    Origin,
    OriginStep,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
)
from devlint.rules import wording

CUDA = Concrete("cuda", 0)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("torch.add", "`torch.add`"),
        ("torch.Tensor.numpy", "`torch.Tensor.numpy`"),
        ("torch.Tensor.__add__", "`torch.add`"),
        ("torch.Tensor.__radd__", "`torch.add`"),
        ("torch.Tensor.__iadd__", "`torch.Tensor.add_`"),
        ("torch.Tensor.__truediv__", "`torch.div`"),
        ("torch.Tensor.__rand__", "`torch.bitwise_and`"),
        ("torch.Tensor.__ior__", "`torch.Tensor.bitwise_or_`"),
        ("torch.Tensor.__invert__", "`torch.bitwise_not`"),
        ("torch.Tensor.__matmul__", "`torch.matmul`"),
        ("torch.Tensor.__eq__", "`torch.eq`"),
        ("torch.Tensor.__getitem__", "indexing"),
        ("torch.Tensor.__setitem__", "assignment to an index"),
        ("torch.nn.Module.__call__", "a module call"),
    ],
)
def test_operators_are_called_what_users_call_them(name: str, shown: str) -> None:
    assert wording.operator(name) == shown


@pytest.mark.parametrize(
    ("lines", "others", "more"),
    [
        ([], 0, ""),
        ([7], 0, ", and line 7"),
        ([7, 9, 11], 0, ", and lines 7, 9 and 11"),
        (
            [*range(2, 40)],
            0,
            ", and lines 2, 3, 4, 5, 6, 7, 8, 9 and 30 more",
        ),
        ([], 1, ", and 1 line in other files"),
        ([7], 3, ", and line 7, and 3 lines in other files"),
    ],
)
def test_lines_with_one_cause_are_enumerated(lines: list[int], others: int, more: str) -> None:
    assert wording.affected(lines, others) == f"the same cause affects this line{more}"


def operand(path: str, device: Device, *steps: OriginStep, kind: Kind = Kind.TENSOR) -> Operand:
    """An operand with a history."""
    return Operand(path, SiteId(1), device, kind, Origin(steps))


def step(happened: Step, site: int, operator: str = "", *, implicit: bool = False) -> OriginStep:
    """One step of a history."""
    return OriginStep(happened, SiteId(site), CUDA, operator, implicit)


@pytest.mark.parametrize(
    ("path", "device", "shown"),
    [
        ("x", CUDA, "`x` on cuda:0"),
        ("x", Symbol("device", SymbolKind.DEVICE), "`x` on `device`"),
        ("x", Symbol("x", SymbolKind.TENSOR), "`x` on the caller's device"),
        ("x * 2", Symbol("x", SymbolKind.TENSOR), "`x * 2` on `x`'s device"),
        ("h", Symbol("self", SymbolKind.MODULE), "`h` on `self`'s device"),
        ("x", Choice(Concrete("mps")), "`x` on mps if available"),
    ],
)
def test_where_an_operand_is(path: str, device: Device, shown: str) -> None:
    assert wording.whereabouts([operand(path, device)]) == shown


def test_a_modules_parameters_are_named_for_it() -> None:
    net = operand("net", CPU, kind=Kind.MODULE)
    assert wording.is_on(net) == "the parameters of `net` are on cpu"


def test_a_history_is_what_decided_the_device_and_where_it_was_kept() -> None:
    steps = (
        step(Step.PARAMETER, 2, "x"),
        step(Step.MOVED, 3, "torch.Tensor.to"),
        step(Step.DERIVED, 4, "torch.mul"),
        step(Step.ATTRIBUTE, 5, "mask"),
    )
    notes = wording.history(operand("self.mask", CUDA, *steps))
    assert [(note.site, note.message) for note in notes] == [
        (3, "`self.mask` was moved to cuda:0 here"),
        (5, "`self.mask` was stored as `self.mask` here"),
    ]


def test_a_history_without_a_beginning_says_nothing() -> None:
    assert wording.history(operand("x", CUDA, step(Step.DERIVED, 4, "torch.mul"))) == ()


@pytest.mark.parametrize(
    ("happened", "said"),
    [
        (OriginStep(Step.MADE, SiteId(1), UNKNOWN, "torch.as_tensor"), "`x` was created here"),
        (
            step(Step.MADE, 2, "torch.ones", implicit=True),
            "`x` was created on cuda:0 here, without `device=`",
        ),
        (step(Step.MADE, 2, "torch.ones"), "`x` was created on cuda:0 here"),
        (step(Step.PARAMETER, 2, "inputs"), "`x` was passed in here, as parameter `inputs`"),
    ],
)
def test_how_an_operand_began(happened: OriginStep, said: str) -> None:
    assert [note.message for note in wording.history(operand("x", CUDA, happened))] == [said]


def test_two_operands_with_one_history_tell_it_once() -> None:
    began = step(Step.MADE, 2, "torch.ones")
    assert len(wording.histories([operand("x", CUDA, began), operand("x", CUDA, began)])) == 1


def test_long_code_is_cut_and_put_on_one_line() -> None:
    shown = wording.code("function(\n    " + "argument, " * 20 + ")")
    assert "\n" not in shown
    assert len(shown) <= wording.MAX_CODE + 2
    assert shown.endswith("…`")


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("`x` is on cpu", "`x` is on cpu"),
        (
            "`loss_of_the_decoder` is on cuda:0, but `weight_of_each_class` is on cpu in "
            "`torch.nn.functional.cross_entropy`",
            "`loss_of_the_decoder` is on cuda:0, but `weight_of_each_class` is on cpu in `cross_entropy`",
        ),
        (
            "`self.transitions[tags[:, :-1], tags[:, 1:]]` is on cuda:0, but "
            "`torch.arange(number_of_steps).unsqueeze(0)` is on cpu in `torch.mul`",
            "`self.transitions[tags[:, :-1…` is on cuda:0, but "
            "`torch.arange(number_of_steps…` is on cpu in `mul`",
        ),
        ("no code " * 20, "no code " * 20),
    ],
    ids=["short", "full names", "expressions", "no code"],
)
def test_long_messages_are_cut_in_their_code(message: str, shown: str) -> None:
    assert wording.fitted(message) == shown


def test_no_message_with_names_is_longer_than_the_limit() -> None:
    name, function = "n" * wording.MAX_CODE, "torch.nn.functional." + "f" * 40
    device = Symbol(name, SymbolKind.TENSOR)
    event = Operation(SiteId(1), None, Confidence.CERTAIN, function, ())
    clash = wording.clash(event, (operand(name + ".x", device), operand(name + ".y", CPU)))
    assert len(clash) > wording.MAX_MESSAGE
    assert len(wording.fitted(clash)) == wording.MAX_MESSAGE
