"""Which operands conflict by their operator's device rule, for hand-made operations.

The expected errors were observed on torch 2.13 with its CUDA build.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.model import (
    CPU,
    UNKNOWN,
    Choice,
    Concrete,
    Confidence,
    Device,
    HotPath,
    Kind,
    Operand,
    Operation,
    Origin,
    OriginStep,
    Relation,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
)
from devlint.operators import MODULE_CALL
from devlint.rules.mismatch import Demand, generator_relation, mismatch

CUDA = Concrete("cuda", 0)
OTHER_CUDA = Concrete("cuda", 1)
X = Symbol("x", SymbolKind.TENSOR)
DEVICE = Symbol("device", SymbolKind.DEVICE)
CHOICE = Choice(Concrete("cuda"))


def operand(path: str, device: Device, parameter: str, **more: Any) -> Operand:
    """An operand whose site follows from its name."""
    return Operand(path, SiteId(sum(map(ord, path))), device, parameter=parameter, **more)


def operation(operator: str, *operands: Operand) -> Operation:
    """An operation somewhere."""
    return Operation(SiteId(1), None, Confidence.CERTAIN, operator, operands)


def binary(operator: str, left: Device, right: Device, **right_more: Any) -> Operation:
    """An operator with a receiver `x` with dimensions and an operand `y`."""
    return operation(
        operator,
        operand("x", left, "self", rank0=False),
        operand("y", right, "other", **right_more),
    )


@pytest.mark.parametrize(
    ("left", "right", "relation"),
    [
        (CUDA, CPU, Relation.DIFFERENT),
        (CUDA, OTHER_CUDA, Relation.DIFFERENT),
        (X, CPU, Relation.DIFFERENT_ON_ACCELERATOR),
        (CPU, DEVICE, Relation.DIFFERENT_ON_ACCELERATOR),
        (CHOICE, CPU, Relation.DIFFERENT_ON_ACCELERATOR),
    ],
)
def test_devices_that_differ_clash_in_either_order(left: Device, right: Device, relation: Relation) -> None:
    for event in (
        binary("torch.Tensor.__add__", left, right, rank0=False),
        binary("torch.Tensor.__add__", right, left, rank0=False),
    ):
        found = mismatch(event)
        assert found is not None
        assert found.demand is Demand.OPERANDS
        assert found.relation is relation
        assert [each.path for each in found.operands] == ["x", "y"]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (CUDA, CUDA),
        (CUDA, UNKNOWN),
        (X, CUDA),
        (X, DEVICE),
        (Concrete("cuda"), OTHER_CUDA),
        (Concrete("meta"), CPU),
        (CHOICE, Concrete("cuda")),
    ],
)
def test_devices_that_agree_or_are_not_known_never_clash(left: Device, right: Device) -> None:
    assert mismatch(binary("torch.Tensor.__add__", left, right, rank0=False)) is None


@pytest.mark.parametrize(("rank0", "clashes"), [(True, False), (None, False), (False, True)])
def test_a_0_dim_host_tensor_is_legal_in_elementwise_operators(rank0: bool | None, clashes: bool) -> None:
    assert (mismatch(binary("torch.Tensor.__mul__", CUDA, CPU, rank0=rank0)) is not None) is clashes


@pytest.mark.parametrize("rank0", [True, None, False])
def test_a_0_dim_device_tensor_is_not(rank0: bool | None) -> None:
    assert mismatch(binary("torch.Tensor.__mul__", CPU, CUDA, rank0=rank0)) is not None


@pytest.mark.parametrize("operator", ["torch.Tensor.add_", "torch.Tensor.__iadd__"])
def test_what_is_written_in_place_must_be_beside_the_rest(operator: str) -> None:
    event = operation(operator, operand("total", CPU, "self"), operand("x", CUDA, "other"))
    assert mismatch(event) is not None


def test_out_must_be_beside_the_rest() -> None:
    event = operation(
        "torch.add", operand("x", CUDA, "input"), operand("buffer", CPU, "out"), operand("y", CUDA, "other")
    )
    found = mismatch(event)
    assert found is not None
    assert [each.path for each in found.operands] == ["x", "buffer", "y"]
    assert found.stray().path == "buffer"


@pytest.mark.parametrize("rank0", [True, None, False])
def test_operators_on_one_device_know_no_exception(rank0: bool | None) -> None:
    event = operation("torch.cat", operand("x", CUDA, "tensors"), operand("y", CPU, "tensors", rank0=rank0))
    assert mismatch(event) is not None


def test_operators_that_the_table_lacks_demand_nothing() -> None:
    assert mismatch(binary("mylib.fused_add", CUDA, CPU, rank0=False)) is None


@pytest.mark.parametrize("operator", ["torch.Tensor.copy_", "torch.Tensor.to"])
def test_operators_that_copy_across_devices_demand_nothing(operator: str) -> None:
    event = operation(operator, operand("x", CUDA, "self"), operand("y", CPU, "src", rank0=False))
    assert mismatch(event) is None


@pytest.mark.parametrize(
    ("base", "index", "rank0", "boolean", "clashes"),
    [
        (CUDA, CPU, False, None, False),
        (CPU, CUDA, False, None, True),
        (CPU, X, False, None, True),
        (CPU, CUDA, True, None, False),
        (CPU, CUDA, None, None, False),
        (CPU, CUDA, None, True, True),
        (CUDA, OTHER_CUDA, False, None, True),
        (CUDA, X, False, None, False),
    ],
)
def test_reading_through_an_index(
    base: Device, index: Device, rank0: bool | None, boolean: bool | None, clashes: bool
) -> None:
    event = operation(
        "torch.Tensor.__getitem__",
        operand("table", base, "self"),
        operand("i", index, "indices", rank0=rank0, boolean=boolean),
    )
    found = mismatch(event)
    assert (found is not None) is clashes
    assert found is None or found.demand is Demand.INDEX


def test_an_index_of_unknown_rank_into_a_modules_state_counts() -> None:
    event = operation(
        "torch.Tensor.__getitem__",
        operand("self.table", CPU, "self", attribute="table"),
        operand("t", X, "indices"),
    )
    in_forward, elsewhere = mismatch(replace(event, hot=HotPath.FORWARD)), mismatch(event)
    assert in_forward is not None
    assert in_forward.confidence is Confidence.CERTAIN
    # What another method is given need not be where the module is.
    assert elsewhere is not None
    assert elsewhere.confidence is Confidence.POSSIBLE


@pytest.mark.parametrize(
    ("index", "rank0", "clashes"),
    [(CUDA, False, True), (CPU, False, True), (None, False, False), (CUDA, True, False), (CUDA, None, False)],
)
def test_writing_through_a_tensor_index(index: Device | None, rank0: bool | None, clashes: bool) -> None:
    indices = [] if index is None else [operand("i", index, "indices", rank0=False)]
    event = operation(
        "torch.Tensor.__setitem__",
        operand("x", CUDA, "self"),
        *indices,
        operand("value", CPU, "value", rank0=rank0),
    )
    assert (mismatch(event) is not None) is clashes


@pytest.mark.parametrize("rank0", [True, None])
def test_a_0_dim_index_is_written_through_like_a_number(rank0: bool | None) -> None:
    event = operation(
        "torch.Tensor.__setitem__",
        operand("x", CUDA, "self"),
        operand("k", CUDA, "indices", rank0=rank0),
        operand("value", CPU, "value", rank0=False),
    )
    assert mismatch(event) is None


def test_the_index_written_through_may_be_anywhere() -> None:
    event = operation(
        "torch.Tensor.__setitem__", operand("x", CPU, "self"), operand("i", CUDA, "indices", rank0=False)
    )
    assert mismatch(event) is None


def test_gather_wants_its_index_beside_the_rest() -> None:
    event = operation("torch.gather", operand("x", CUDA, "input"), operand("i", CPU, "index", rank0=False))
    found = mismatch(event)
    assert found is not None
    assert found.demand is Demand.INDEX


@pytest.mark.parametrize(("before", "confidence"), [(X, Confidence.POSSIBLE), (CPU, Confidence.CERTAIN)])
def test_what_was_brought_down_may_meet_what_is_there(before: Device, confidence: Confidence) -> None:
    """To bring to the host what is there already says nothing of the other operand."""
    steps = (
        OriginStep(Step.MADE, SiteId(2), before, "torch.ones"),
        OriginStep(Step.MOVED, SiteId(3), CPU, "cpu"),
    )
    event = binary("torch.Tensor.__add__", X, CPU, rank0=False, origin=Origin(steps))
    found = mismatch(event)
    assert found is not None
    assert found.confidence is confidence
    assert {found.confidence_in(operand) for operand in found.operands} == {confidence}


def call(module: Device, *inputs: Operand) -> Operation:
    """A module called."""
    return operation(MODULE_CALL, operand("net", module, "self", kind=Kind.MODULE), *inputs)


@pytest.mark.parametrize(
    ("device", "rank0", "clashes"),
    [(CPU, None, True), (CPU, True, False), (CUDA, None, False), (X, None, False)],
)
def test_the_first_input_of_a_module(device: Device, rank0: bool | None, clashes: bool) -> None:
    assert (mismatch(call(CUDA, operand("x", device, "", rank0=rank0))) is not None) is clashes


@pytest.mark.parametrize(
    ("rank0", "confidence"),
    [(None, Confidence.POSSIBLE), (True, None), (False, Confidence.CERTAIN)],
)
def test_a_further_input_is_certain_if_it_has_dimensions(
    rank0: bool | None, confidence: Confidence | None
) -> None:
    event = call(CUDA, operand("x", CUDA, ""), operand("lengths", CPU, "", rank0=rank0))
    found = mismatch(event)
    assert (found and found.confidence) is confidence


@pytest.mark.parametrize(
    ("owner", "confidence"), [("self", Confidence.CERTAIN), ("net", Confidence.POSSIBLE)]
)
def test_a_module_from_outside_may_be_on_the_host(owner: str, confidence: Confidence) -> None:
    found = mismatch(call(Symbol(owner, SymbolKind.MODULE), operand("x", CPU, "", rank0=False)))
    assert found is not None
    assert found.confidence is confidence


def test_a_module_left_on_the_host_is_the_stray_one() -> None:
    found = mismatch(call(CPU, operand("x", CUDA, "")))
    assert found is not None
    assert found.demand is Demand.MODULE
    assert found.stray().path == "net"


def test_against_prefers_an_operand_whose_device_can_be_named() -> None:
    event = operation(
        "torch.stack",
        operand("a", CUDA, "tensors"),
        operand("b", CUDA, "tensors", anchor="b.device"),
        operand("c", CPU, "tensors"),
    )
    found = mismatch(event)
    assert found is not None
    assert found.against(found.stray()).path == "b"


@pytest.mark.parametrize(
    ("device", "step", "off"),
    [
        (CUDA, None, True),
        (CHOICE, None, True),
        (DEVICE, None, True),
        (X, None, False),
        (X, Step.PARAMETER, False),
        (X, Step.DERIVED, False),
        (X, Step.MOVED, True),
        (X, Step.MADE, True),
        (CPU, None, False),
        (UNKNOWN, None, False),
    ],
)
def test_off_the_host_needs_the_program_to_have_put_it_there(
    device: Device, step: Step | None, off: bool
) -> None:
    origin = Origin(() if step is None else (OriginStep(step, SiteId(5), device, "x"),))
    assert operand("lengths", device, "", origin=origin).is_off_host is off


@pytest.mark.parametrize(
    ("generator", "target", "relation"),
    [
        (CPU, CUDA, Relation.DIFFERENT),
        (CUDA, CPU, Relation.DIFFERENT),
        (CUDA, OTHER_CUDA, Relation.SAME),
        (CPU, DEVICE, Relation.DIFFERENT_ON_ACCELERATOR),
        (CUDA, DEVICE, Relation.UNKNOWN),
        (DEVICE, DEVICE, Relation.SAME),
    ],
)
def test_generators_need_the_same_type(generator: Device, target: Device, relation: Relation) -> None:
    assert generator_relation(generator, target) is relation


devices = st.sampled_from(
    [CPU, CUDA, OTHER_CUDA, Concrete("cuda"), Concrete("meta"), X, DEVICE, CHOICE, UNKNOWN]
)
operators = st.sampled_from(
    [
        "torch.add",
        "torch.cat",
        "torch.Tensor.__getitem__",
        "torch.Tensor.__setitem__",
        "torch.where",
        MODULE_CALL,
    ]
)
names = st.sampled_from(["self", "input", "other", "indices", "value", "out", "tensors", ""])
operands = st.lists(
    st.builds(
        Operand,
        path=st.just("x"),
        site=st.integers(1, 99).map(SiteId),
        device=devices,
        kind=st.sampled_from([Kind.TENSOR, Kind.TENSOR, Kind.MODULE, Kind.GENERATOR, Kind.SCALAR]),
        parameter=names,
        rank0=st.sampled_from([True, False, None]),
    ),
    max_size=5,
)


@given(operator=operators, given_operands=operands)
def test_what_clashes_is_known_to_differ(operator: str, given_operands: list[Operand]) -> None:
    found = mismatch(operation(operator, *given_operands))
    if found is None:
        return
    assert len(found.operands) >= 2
    assert UNKNOWN not in {each.device for each in found.operands}
    assert found.relation in (Relation.DIFFERENT, Relation.DIFFERENT_ON_ACCELERATOR)
    assert all(found.against(each).device != each.device for each in found.operands)
    assert found.stray() in found.operands


@given(operator=operators, given_operands=operands, everywhere=devices)
def test_operands_on_one_device_never_clash(
    operator: str, given_operands: list[Operand], everywhere: Device
) -> None:
    same = [
        Operand(each.path, each.site, everywhere, each.kind, parameter=each.parameter, rank0=each.rank0)
        for each in given_operands
    ]
    assert mismatch(operation(operator, *same)) is None
