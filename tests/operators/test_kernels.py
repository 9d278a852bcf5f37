"""ATen's kernels: facts written down one by one, what was seen of them, and that none is missing."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any

import pytest

from devlint.model import Cause
from devlint.operators import (
    DeviceRule,
    Operator,
    OperatorArgument,
    ResultDevice,
    SyncWhen,
    find_kernel,
    kernel_names,
)

pytest.importorskip("torch")

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tools.operators import measured, measured_kernels, programs, samples


def row(name: str) -> Operator:
    found = find_kernel(name)
    assert found is not None, name
    return found


def argument(kernel: Operator, name: str) -> OperatorArgument:
    return next(known for known in kernel.arguments if known.name == name)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("aten::add.Tensor", DeviceRule.SAME_OR_0_DIM_HOST),
        ("aten::where.self", DeviceRule.SAME_OR_0_DIM_HOST),
        ("aten::mm", DeviceRule.SAME),
        ("aten::addmm", DeviceRule.SAME),
        ("aten::cat", DeviceRule.SAME),
        ("aten::embedding", DeviceRule.SAME),
        ("aten::convolution", DeviceRule.SAME),
        ("aten::native_layer_norm", DeviceRule.SAME),
        ("aten::native_layer_norm_backward", DeviceRule.SAME),
        ("aten::convolution_backward", DeviceRule.SAME),
        ("aten::nll_loss_forward", DeviceRule.SAME),
        ("aten::_scaled_dot_product_flash_attention_for_cpu", DeviceRule.SAME),
        ("aten::index.Tensor", DeviceRule.INDEX),
        ("aten::copy_", DeviceRule.COPIES_INTO),
        ("aten::_to_copy", DeviceRule.MOVES),
        ("aten::_local_scalar_dense", DeviceRule.HOST_READ),
        ("aten::empty.memory_format", DeviceRule.FACTORY),
        ("aten::zeros_like", DeviceRule.LIKE),
    ],
)
def test_device_rule(name: str, rule: DeviceRule) -> None:
    assert row(name).rule is rule


@pytest.mark.parametrize(
    ("name", "taken", "refused"),
    [
        ("aten::add.Tensor", "self other", ""),
        ("aten::add_.Tensor", "other", "self"),
        ("aten::add.out", "self other", "out"),
        ("aten::mm", "", "self mat2"),
        ("aten::addcmul", "tensor2", "self tensor1"),
        ("aten::addcdiv", "", "self tensor1 tensor2"),
        ("aten::lerp.Tensor", "weight", "self end"),
        ("aten::lerp.Scalar", "", "self end"),
        ("aten::logical_and", "other", "self"),
        ("aten::mse_loss", "", "self target"),
        ("aten::clamp.Tensor", "", "self min max"),
        ("aten::where.self", "condition self other", ""),
        ("aten::sigmoid_backward", "", "grad_output output"),
        ("aten::masked_fill.Tensor", "value", "self mask"),
        ("aten::index_put_", "values indices", "self"),
        ("aten::sqrt.out", "", "self out"),
    ],
)
def test_which_operand_may_be_a_host_scalar(name: str, taken: str, refused: str) -> None:
    kernel = row(name)
    assert all(kernel.takes_zero_dim_host(argument(kernel, each)) for each in taken.split())
    assert not any(kernel.takes_zero_dim_host(argument(kernel, each)) for each in refused.split())


@pytest.mark.parametrize(
    ("name", "matching", "elsewhere"),
    [
        ("aten::add.Tensor", "self other", ""),
        ("aten::index_put_", "self values", "indices"),
        ("aten::_unsafe_masked_index", "self mask", "indices"),
        ("aten::fill_.Tensor", "self", "value"),
        ("aten::slice_scatter", "", "src"),
        ("aten::bernoulli.out", "", "out"),
        ("aten::_foreach_add_.List", "self other", ""),
        ("aten::_foreach_add_.Scalar", "", "self"),
        ("aten::_foreach_sqrt", "", "self"),
        ("aten::_ctc_loss.Tensor", "log_probs", "targets input_lengths target_lengths"),
    ],
)
def test_which_operand_has_to_lie_with_the_others(name: str, matching: str, elsewhere: str) -> None:
    kernel = row(name)
    assert all(kernel.must_match(argument(kernel, each)) for each in matching.split())
    assert not any(kernel.must_match(argument(kernel, each)) for each in elsewhere.split())


def test_lengths_have_to_be_on_the_host() -> None:
    kernel = row("aten::_pack_padded_sequence")
    assert argument(kernel, "lengths").host
    assert not argument(kernel, "input").host


@pytest.mark.parametrize(
    ("name", "zero_dim"),
    [
        ("aten::where.self", "self other"),
        ("aten::masked_fill.Tensor", "value"),
        ("aten::index_put", "values"),
    ],
)
def test_what_is_copied_if_it_is_0_dim_may_be_on_any_device(name: str, zero_dim: str) -> None:
    kernel = row(name)
    assert all(argument(kernel, each).zero_dim_anywhere for each in zero_dim.split())
    assert not argument(row("aten::add.Tensor"), "other").zero_dim_anywhere


@pytest.mark.parametrize(
    ("name", "when", "cause"),
    [
        ("aten::_local_scalar_dense", SyncWhen.ALWAYS, Cause.HOST_READ),
        ("aten::nonzero", SyncWhen.ALWAYS, Cause.DYNAMIC_SHAPE),
        ("aten::_linalg_check_errors", SyncWhen.ALWAYS, Cause.HIDDEN_READ),
        ("aten::masked_fill.Tensor", SyncWhen.DEVICE_SCALAR_VALUE, Cause.HIDDEN_READ),
        ("aten::index.Tensor", SyncWhen.MASK_INDEX, Cause.DYNAMIC_SHAPE),
        ("aten::_to_copy", SyncWhen.TO_HOST_BLOCKING, Cause.HOST_COPY),
    ],
)
def test_wait(name: str, when: SyncWhen, cause: Cause) -> None:
    assert (when, cause) in {(sync.when, sync.cause) for sync in row(name).syncs}


def test_what_was_seen_to_wait_has_a_wait_and_nothing_else_always_waits() -> None:
    seen = {name: record for name, record in measured_kernels.records().items() if name not in _ON_META}
    always = {name for name in seen if any(sync.when is SyncWhen.ALWAYS for sync in row(name).syncs)}
    assert {
        name for name, record in seen.items() if record.waits == record.calls and not row(name).syncs
    } == set()
    assert {name for name in always if not seen[name].waits} == set()


def test_where_results_lie() -> None:
    assert row("aten::mm").result.device is ResultDevice.OPERANDS
    assert row("aten::add_.Tensor").result.device is ResultDevice.FIRST
    assert row("aten::index.Tensor").result.device is ResultDevice.FIRST
    assert row("aten::slice_scatter").result.device is ResultDevice.FIRST
    assert row("aten::zeros").result.device is ResultDevice.ARGUMENT


def test_composites_have_no_row() -> None:
    assert find_kernel("aten::linear") is None
    assert find_kernel("aten::no_such_kernel") is None


def test_every_row_names_its_source_and_its_arguments_once() -> None:
    assert len(kernel_names()) > 2_000
    assert list(kernel_names()) == sorted(kernel_names())
    for name in kernel_names():
        kernel = row(name)
        listed = [each.name for each in kernel.arguments]
        assert kernel.name == name
        assert kernel.source, name
        assert len(listed) == len(set(listed)), name


def test_the_table_is_made_of_what_was_measured() -> None:
    seen = measured_kernels.records()
    assert len(seen) > 1_000
    assert {name for name in seen if find_kernel(name) is None} == _ON_META
    wrong = [
        (name, operand)
        for name, record in seen.items()
        if name not in _ON_META | _UNDER_MODES and row(name).rule in measured.BY_ARGUMENT
        for operand, verdicts in record.operands.items()
        if not argument(row(name), operand).index
        and _departs(row(name), argument(row(name), operand), verdicts.host, verdicts.zero_dim_host)
    ]
    assert wrong == []


_ON_META = {"aten::to.dtype_layout"}
"""A composite that autograd calls on tensors without memory."""
_UNDER_MODES = {"aten::_ctc_loss", "aten::_ctc_loss.Tensor"}
"""What `hand/kernels_under_modes.tsv` says otherwise."""


def _departs(
    kernel: Operator, declared: OperatorArgument, host: bool | None, zero_dim_host: bool | None
) -> bool:
    return (host is not None and kernel.must_match(declared) == host) or (
        zero_dim_host is not None and kernel.takes_zero_dim_host(declared) != zero_dim_host
    )


class _Names(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Collects the names of the kernels that run."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.reached: set[str] = set()

    def __torch_dispatch__(self, func: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.reached.add(func.name())
        return func(*args, **kwargs or {})


def test_every_kernel_that_the_operator_database_reaches_has_a_row() -> None:
    names = _Names()
    with warnings.catch_warnings(), torch.random.fork_rng():
        warnings.simplefilter("ignore")
        for info in samples.entries().values():
            call = samples.first_inputs_of(info)
            with suppress(Exception), names:
                info.op(*call[0], **call[1])  # type: ignore[index]
    assert len(names.reached) > 450
    assert {
        name for name in names.reached if name.startswith("aten::") and find_kernel(name) is None
    } == set()


def test_every_kernel_that_training_reaches_has_a_row() -> None:
    names = _Names()
    for program in programs.PROGRAMS.values():
        with suppress(Exception), names:  # some are for an accelerator
            program("cpu")
    assert {"aten::_foreach_addcdiv_.ScalarList", "aten::native_layer_norm_backward"} <= names.reached
    assert {
        name for name in names.reached if name.startswith("aten::") and find_kernel(name) is None
    } == set()
