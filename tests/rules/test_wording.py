"""How findings speak of operators, operands and histories."""

from __future__ import annotations

import pytest

from devlint.model import (
    CPU,
    UNKNOWN,
    Choice,
    Concrete,
    Device,
    Kind,
    Operand,
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
        ("x * 2", Symbol("x", SymbolKind.TENSOR), "`x * 2` on the device of `x`"),
        ("h", Symbol("self", SymbolKind.MODULE), "`h` on the device of `self`"),
        ("x", Choice(Concrete("mps")), "`x` on mps (or cpu, if there is none)"),
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
