"""Operands of a failing call have the program's own names, and say which module keeps them."""

from __future__ import annotations

import contextlib
import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pack_padded_sequence

from devlint.model import CPU, UNKNOWN, Concrete, Kind, RegistrationKind
from devlint.runtime.explain import FailedCall, call_of
from devlint.runtime.places.sites import Sites
from tests.runtime.explain.explaining import Explaining, failure

CUDA = Concrete("cuda", 0)

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="Python 3.10 knows lines only, and not which expression it was"
)


def operands(program: Callable[[], object]) -> list[tuple[str, str]]:
    """The names and devices of the operands of the failing call."""
    _, call = failure(program)
    return [(operand.path, str(operand.device)) for operand in call.operands]


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(2, 2)
        self.mask = torch.ones(2, 2, dtype=torch.bool)
        self.heads = [nn.Linear(2, 2)]
        self.last: Any = None

    def forward(self, x: torch.Tensor, way: str = "mask") -> Any:
        if way == "mask":
            return self.out(x).masked_fill(self.mask, 0.0)
        if way == "part":
            return x.masked_fill(self.mask[:1], 0.0)
        if way == "alias":
            mask = self.mask
            return x.masked_fill(mask, 0.0)
        if way == "heads":
            return self.heads[0](x)
        if way == "given":
            self.last = x
            return x + self.out.weight
        return self.out(x)


def test_operators_index_and_assignments_name_their_operands() -> None:
    def add() -> None:
        x, y = torch.ones(2).cuda(), torch.ones(2)
        _ = x + y

    def reflected() -> None:
        x, y = torch.ones(2, 2).cuda(), torch.ones(2, 2)
        _ = 1 - x @ y[0:2]

    def in_place() -> None:
        x, total = torch.ones(2).cuda(), torch.ones(2)
        total += x

    def read() -> None:
        table, rows = torch.ones(2), torch.tensor([0]).cuda()
        _ = table[rows]

    def write() -> None:
        x, values, rows = torch.ones(2).cuda(), torch.ones(2), torch.tensor([0, 1])
        x[rows] = values[:2]

    assert operands(add) == [("x", "cuda:0"), ("y", "cpu")]
    assert operands(reflected) == [("x", "cuda:0"), ("y[0:2]", "cpu")]
    assert operands(in_place) == [("total", "cpu"), ("x", "cuda:0")]
    assert operands(read) == [("table", "cpu"), ("rows", "cuda:0")]
    assert operands(write) == [("x", "cuda:0"), ("rows", "cpu"), ("values[:2]", "cpu")]


def test_arguments_are_named_by_place_keyword_and_list() -> None:
    def keywords() -> None:
        scores, target, weights = torch.ones(2, 2).cuda(), torch.tensor([0, 1]).cuda(), torch.ones(2)
        cross_entropy(scores, target=target, weight=weights)

    def in_a_list() -> None:
        x = torch.ones(1, 2).cuda()
        torch.cat([x, torch.ones(1, 2), x * 2])

    def in_a_variable() -> None:
        parts = [torch.ones(2).cuda(), torch.ones(2)]
        torch.stack(parts)

    def spread() -> None:
        pair = (torch.ones(2).cuda(), torch.ones(2))
        torch.add(*pair)

    assert operands(keywords) == [("scores", "cuda:0"), ("target", "cuda:0"), ("weights", "cpu")]
    assert operands(in_a_list) == [("x", "cuda:0"), ("torch.ones(1, 2)", "cpu"), ("x * 2", "cuda:0")]
    assert operands(in_a_variable) == [("parts[0]", "cuda:0"), ("parts[1]", "cpu")]
    assert operands(spread) == [("input", "cuda:0"), ("other", "cpu")]


def test_a_text_that_stands_for_another_value_is_not_believed() -> None:
    def swapped() -> None:
        x, y = torch.ones(2).cuda(), torch.ones(2)
        _ = 2 * x + y

    assert operands(swapped) == [("2 * x", "cuda:0"), ("y", "cpu")]


def test_inputs_and_parameters_inside_of_torchs_own_modules_have_the_programs_names() -> None:
    def one_layer() -> None:
        layer, x = nn.Linear(2, 2).cuda(), torch.ones(2)
        layer(x)

    def second_layer() -> None:
        stack, x = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)), torch.ones(2).cuda()
        stack[0].cuda()
        stack(input=x)

    def made_at_once() -> None:
        x = torch.ones(2).cuda()
        nn.Linear(2, 2)(x)

    assert operands(one_layer) == [("x", "cpu"), ("layer.weight", "cuda:0"), ("layer.bias", "cuda:0")]
    assert operands(second_layer)[1:] == [("stack[1].weight", "cpu"), ("stack[1].bias", "cpu")]
    _, call = failure(made_at_once)
    assert call.around is not None
    assert [operand.path for operand in call.around.operands] == ["nn.Linear(2, 2)", "x"]


def test_the_module_that_the_program_calls_is_an_operand_too() -> None:
    def whole() -> None:
        net, batch = nn.Sequential(nn.Linear(2, 2)).cuda(), {"x": torch.ones(2)}
        net(batch["x"])

    _, call = failure(whole)
    assert call.around is not None
    module, given = call.around.operands
    assert (module.path, module.kind, module.device) == ("net", Kind.MODULE, CUDA)
    assert (given.path, given.device) == ('batch["x"]', CPU)


def test_a_half_moved_module_has_no_device_of_its_own() -> None:
    def half() -> None:
        net, x = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)), torch.ones(2).cuda()
        net[0].cuda()
        net(x)

    _, call = failure(half)
    assert call.around is not None
    assert call.around.operands[0].device == UNKNOWN
    assert call.module is not None
    assert [kept.path for kept in call.module.on_other_devices] == ["net[1].weight", "net[1].bias"]


@pytest.mark.parametrize(
    ("way", "path"), [("mask", "self.mask"), ("part", "self.mask[:1]"), ("alias", "mask")]
)
def test_a_plain_attribute_is_known_by_itself_its_parts_and_its_aliases(way: str, path: str) -> None:
    def program() -> None:
        model, x = Attention().cuda(), torch.ones(2, 2).cuda()
        model(x, way)

    _, call = failure(program)
    stray = next(operand for operand in call.operands if operand.device == CPU)
    kept = call.kept[call.operands.index(stray)]
    assert (stray.path, stray.attribute) == (path, "mask")
    assert kept is not None
    assert (kept.path, kept.owner_class, kept.kind) == (
        "model.mask",
        "Attention",
        RegistrationKind.PLAIN_TENSOR,
    )


def test_an_argument_that_the_module_remembers_is_no_attribute_to_blame() -> None:
    def program() -> None:
        Attention().cuda()(torch.ones(2, 2), "given")

    _, call = failure(program)
    assert [(operand.path, operand.attribute) for operand in call.operands] == [
        ("x", ""),
        ("self.out.weight", ""),
    ]


def test_a_module_in_a_plain_list_is_told_with_the_list() -> None:
    def program() -> None:
        model, x = Attention().cuda(), torch.ones(2, 2).cuda()
        model(x, "heads")

    _, call = failure(program)
    assert call.container is not None
    assert (call.container.path, call.container.attribute) == ("model.heads", "heads")


def test_generators_and_the_device_they_draw_for_are_operands() -> None:
    def program() -> None:
        rng = torch.Generator()
        torch.randn(2, generator=rng, device="cuda")

    _, call = failure(program)
    assert [(operand.path, operand.kind, str(operand.device)) for operand in call.operands] == [
        ("rng", Kind.GENERATOR, "cpu"),
        ('"cuda"', Kind.DEVICE, "cuda"),
    ]


def test_functions_that_no_mode_sees_are_named_as_the_program_calls_them() -> None:
    def lengths() -> None:
        batch, counts = torch.ones(2, 2, 2).cuda(), torch.tensor([2, 1]).cuda()
        pack_padded_sequence(batch, counts, batch_first=True)

    def array() -> None:
        x = torch.ones(2).cuda()
        np.asarray(x)

    def protocol() -> None:
        x = torch.ones(2).cuda()
        x.__array__()  # type: ignore[no-untyped-call]

    assert failure(lengths)[1].operator == "torch.nn.utils.rnn.pack_padded_sequence"
    assert ("counts", "cuda:0") in operands(lengths)
    assert failure(array)[1].operator == "numpy.asarray"
    assert operands(array) == [("x", "cuda:0")]
    assert failure(protocol)[1].operator == "torch.Tensor.numpy"


def test_what_the_rules_ask_of_an_operand_is_there() -> None:
    def program() -> None:
        x, flag = torch.ones(2).cuda(), torch.tensor([True, False])
        torch.where(flag, x, x)

    _, call = failure(program)
    assert call.operator == "torch.where"
    flag = call.operands[0]
    assert (flag.parameter, flag.rank0, flag.boolean, flag.anchor) == (
        "condition",
        False,
        True,
        "flag.device",
    )
    assert call.expression == "torch.where(flag, x, x)"


class Lazy:
    """An object whose attributes run code."""

    @property
    def tensor(self) -> torch.Tensor:
        raise AssertionError("a property was asked")

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was asked")


def test_names_are_looked_up_without_running_code() -> None:
    x, y = torch.ones(2), torch.ones(3)
    holder = Lazy()
    sites = Sites()
    try:
        torch.add(x, y) if x is not None else holder.tensor
    except RuntimeError as error:
        call = call_of(error, "torch.add", (x, y), {}, sites)
    assert call is not None
    assert [operand.path for operand in call.operands] == ["x", "y"]


def test_no_source_no_names_but_those_of_torch() -> None:
    program: dict[str, Any] = {"torch": torch}
    exec("def add(x, y):\n    return x + y", program)

    def add() -> None:
        program["add"](torch.ones(2).cuda(), torch.ones(2))

    assert [parameter for parameter, _ in operands(add)] == ["self", "other"]


@pytest.mark.parametrize(
    ("args", "kwargs"), [((), {}), ((1, "x", None), {"out": object()}), (([[[[[1]]]]], {}), {"x": ...})]
)
def test_any_arguments_and_any_error_are_survived(
    args: tuple[object, ...], kwargs: dict[str, object]
) -> None:
    for operator in ("", "torch.add", "torch.Tensor.__getitem__", "no.such.operator"):
        assert call_of(ValueError(), operator, args, kwargs, Sites()) is not None


def test_what_has_not_been_raised_is_told_where_it_would_be() -> None:
    x, y = torch.ones(2), torch.ones(2)

    def ask() -> FailedCall | None:
        return call_of(RuntimeError(), "torch.add", (x, y), {}, Sites())

    call = ask()
    assert call is not None
    assert [operand.path for operand in call.operands] == ["x", "y"]


def test_neither_tensors_nor_frames_are_kept() -> None:
    tensor = torch.ones(2)
    gone = weakref.ref(tensor)

    def program(x: torch.Tensor) -> None:
        with contextlib.suppress(RuntimeError), Explaining() as explaining:
            _ = nn.Linear(3, 3)(x)
        calls.extend(explaining.calls)

    calls: list[FailedCall] = []
    gc.disable()  # what only the collector can free counts as kept
    try:
        program(tensor)
        del tensor
        assert calls[0].operands[0].path == "x"
        assert gone() is None
    finally:
        gc.enable()
