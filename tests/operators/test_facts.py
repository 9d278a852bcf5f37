"""Facts that a person wrote down, one by one, from torch's documentation and from runs of its CUDA build."""

from __future__ import annotations

import pytest

from devlint.model import Cause
from devlint.operators import (
    ArgumentKind,
    DeviceRule,
    Dimensions,
    Operator,
    OperatorArgument,
    ResultDevice,
    ResultKind,
    SyncWhen,
    find,
    is_between_host_data_and_tensors,
)


def row(name: str) -> Operator:
    found = find(name, "2.13.0")
    assert found is not None, name
    return found


def argument(operator: Operator, name: str) -> OperatorArgument:
    return next(known for known in operator.arguments if known.name == name)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("torch.add", DeviceRule.SAME_OR_0_DIM_HOST),
        ("torch.Tensor.__add__", DeviceRule.SAME_OR_0_DIM_HOST),
        ("torch.Tensor.__rsub__", DeviceRule.SAME_OR_0_DIM_HOST),
        ("torch.Tensor.__lt__", DeviceRule.SAME_OR_0_DIM_HOST),
        ("torch.greater_equal", DeviceRule.SAME_OR_0_DIM_HOST),
        ("torch.true_divide", DeviceRule.SAME_OR_0_DIM_HOST),
        ("torch.where", DeviceRule.SAME_OR_0_DIM_HOST),
        ("torch.isclose", DeviceRule.SAME_OR_0_DIM_HOST),
        ("torch.matmul", DeviceRule.SAME),
        ("torch.Tensor.__matmul__", DeviceRule.SAME),
        ("torch.cat", DeviceRule.SAME),
        ("torch.clamp", DeviceRule.SAME),
        ("torch.addcdiv", DeviceRule.SAME),
        ("torch.logaddexp", DeviceRule.SAME),
        ("torch.einsum", DeviceRule.SAME),
        ("torch.gather", DeviceRule.SAME),
        ("torch.nn.functional.linear", DeviceRule.SAME),
        ("torch.nn.functional.embedding", DeviceRule.SAME),
        ("torch.nn.functional.conv2d", DeviceRule.SAME),
        ("torch.nn.functional.cross_entropy", DeviceRule.SAME),
        ("torch.nn.functional.mse_loss", DeviceRule.SAME),
        ("torch.Tensor.__getitem__", DeviceRule.INDEX),
        ("torch.Tensor.__setitem__", DeviceRule.COPIES_INTO),
        ("torch.Tensor.copy_", DeviceRule.COPIES_INTO),
        ("torch.tensor_split", DeviceRule.HOST_ONLY_ARGUMENT),
        ("torch.Tensor.pin_memory", DeviceRule.HOST_ONLY_ARGUMENT),
        ("torch.zeros", DeviceRule.FACTORY),
        ("torch.tensor", DeviceRule.FACTORY),
        ("torch.randn_like", DeviceRule.LIKE),
        ("torch.as_tensor", DeviceRule.LIKE),
        ("torch.Tensor.new_zeros", DeviceRule.LIKE),
        ("torch.Tensor.to", DeviceRule.MOVES),
        ("torch.Tensor.cuda", DeviceRule.MOVES),
        ("torch.Tensor.item", DeviceRule.HOST_READ),
        ("torch.Tensor.numpy", DeviceRule.HOST_READ),
        ("torch.Tensor.shape", DeviceRule.METADATA),
        ("torch.Tensor.size", DeviceRule.METADATA),
        ("torch.Tensor.expand_as", DeviceRule.METADATA),
        ("torch.nn.functional.ctc_loss", DeviceRule.METADATA),
        ("torch.autograd.grad", DeviceRule.METADATA),
    ],
)
def test_device_rule(name: str, rule: DeviceRule) -> None:
    assert row(name).rule is rule


@pytest.mark.parametrize(
    ("name", "taken", "refused"),
    [
        ("torch.add", "input other", "out"),
        ("torch.Tensor.add_", "other", "self"),
        ("torch.Tensor.__iadd__", "other", "self"),
        ("torch.addcmul", "tensor2", "input tensor1"),
        ("torch.addcdiv", "", "input tensor1 tensor2"),
        ("torch.lerp", "weight", "input end"),
        ("torch.logical_and", "other", "input"),
        ("torch.clamp", "", "input min max"),
        ("torch.max", "input dim", "out"),
        ("torch.Tensor.masked_fill", "value", "self mask"),
        ("torch.Tensor.fill_", "value", "self"),
        ("torch.where", "condition input other", "out"),
        ("torch.complex", "", "real imag"),
    ],
)
def test_which_operand_may_be_a_host_scalar(name: str, taken: str, refused: str) -> None:
    operator = row(name)
    assert all(operator.takes_zero_dim_host(argument(operator, each)) for each in taken.split())
    assert not any(operator.takes_zero_dim_host(argument(operator, each)) for each in refused.split())


@pytest.mark.parametrize(
    ("name", "when", "cause"),
    [
        ("torch.Tensor.item", SyncWhen.ALWAYS, Cause.HOST_READ),
        ("torch.Tensor.tolist", SyncWhen.ALWAYS, Cause.HOST_READ),
        ("torch.Tensor.__bool__", SyncWhen.ALWAYS, Cause.BRANCH),
        ("torch.Tensor.__float__", SyncWhen.ALWAYS, Cause.HOST_READ),
        ("torch.Tensor.__repr__", SyncWhen.ALWAYS, Cause.FORMAT),
        ("torch.Tensor.__contains__", SyncWhen.ALWAYS, Cause.ELEMENTWISE),
        ("torch.equal", SyncWhen.SAME_SHAPE, Cause.HOST_READ),
        ("torch.nonzero", SyncWhen.ALWAYS, Cause.DYNAMIC_SHAPE),
        ("torch.Tensor.masked_select", SyncWhen.ALWAYS, Cause.DYNAMIC_SHAPE),
        ("torch.unique", SyncWhen.ALWAYS, Cause.DYNAMIC_SHAPE),
        ("torch.where", SyncWhen.CONDITION_ALONE, Cause.DYNAMIC_SHAPE),
        ("torch.where", SyncWhen.ZERO_DIM_HOST_OPERAND, Cause.UPLOAD),
        ("torch.repeat_interleave", SyncWhen.TENSOR_REPEATS, Cause.DYNAMIC_SHAPE),
        ("torch.nn.functional.one_hot", SyncWhen.WITHOUT_NUM_CLASSES, Cause.DYNAMIC_SHAPE),
        ("torch.histc", SyncWhen.WITHOUT_RANGE, Cause.HIDDEN_READ),
        ("torch.Tensor.masked_fill_", SyncWhen.DEVICE_SCALAR_VALUE, Cause.HIDDEN_READ),
        ("torch.Tensor.__getitem__", SyncWhen.MASK_INDEX, Cause.DYNAMIC_SHAPE),
        ("torch.Tensor.__getitem__", SyncWhen.HOST_INDEX, Cause.UPLOAD),
        ("torch.Tensor.__getitem__", SyncWhen.SCALAR_INDEX, Cause.HIDDEN_READ),
        ("torch.Tensor.__setitem__", SyncWhen.SCALAR_VALUE, Cause.UPLOAD),
        ("torch.Tensor.to", SyncWhen.TO_HOST_BLOCKING, Cause.HOST_COPY),
        ("torch.Tensor.fill_", SyncWhen.TO_HOST_BLOCKING, Cause.HIDDEN_READ),
        ("torch.Tensor.__setitem__", SyncWhen.TO_HOST_BLOCKING, Cause.HOST_COPY),
        ("torch.Tensor.to", SyncWhen.FROM_PAGEABLE_HOST, Cause.UPLOAD),
        ("torch.Tensor.cpu", SyncWhen.ALWAYS, Cause.HOST_COPY),
        ("torch.tensor", SyncWhen.HOST_DATA, Cause.UPLOAD),
        ("torch.cuda.synchronize", SyncWhen.ALWAYS, Cause.EXPLICIT),
        ("torch.cuda.empty_cache", SyncWhen.ALWAYS, Cause.EXPLICIT),
        ("torch.distributions.Normal", SyncWhen.VALIDATES_ARGUMENTS, Cause.BRANCH),
        ("torch.distributions.categorical.Categorical", SyncWhen.VALIDATES_ARGUMENTS, Cause.BRANCH),
        ("torch.nn.functional.cross_entropy", SyncWhen.LABEL_SMOOTHING_WITH_WEIGHT, Cause.HIDDEN_READ),
        ("torch.nn.utils.clip_grad_norm_", SyncWhen.ERROR_IF_NONFINITE, Cause.BRANCH),
        ("torch.linalg.inv", SyncWhen.ALWAYS, Cause.HIDDEN_READ),
        ("torch.linalg.inv_ex", SyncWhen.CHECK_ERRORS, Cause.HIDDEN_READ),
        ("torch.prod", SyncWhen.BACKWARD_ONLY, Cause.BACKWARD),
    ],
)
def test_waits(name: str, when: SyncWhen, cause: Cause) -> None:
    assert (when, cause) in {(sync.when, sync.cause) for sync in row(name).syncs}


@pytest.mark.parametrize(
    "name",
    [
        "torch.any",
        "torch.all",
        "torch.max",
        "torch.argmax",
        "torch.topk",
        "torch.multinomial",
        "torch.isnan",
        "torch.zeros_like",
        "torch.Tensor.__iter__",
        "torch.Tensor.__len__",
        "torch.Tensor.shape",
        "torch.Tensor.unbind",
        "torch.nn.functional.linear",
        "torch.nn.functional.nll_loss",
        "torch.nn.functional.dropout",
        "torch.index_select",
        "torch.scatter",
        "torch.stft",
        "torch.Tensor.half",
        "torch.linalg.qr",
        "torch.nonzero_static",
        "torch.cuda.memory_allocated",
        "torch.nn.utils.rnn.pack_padded_sequence",
    ],
)
def test_never_waits(name: str) -> None:
    assert row(name).syncs == ()


@pytest.mark.parametrize(
    ("name", "kind", "device", "rank", "boolean"),
    [
        ("torch.add", ResultKind.TENSOR, ResultDevice.OPERANDS, Dimensions.OPERANDS, None),
        ("torch.eq", ResultKind.TENSOR, ResultDevice.OPERANDS, Dimensions.OPERANDS, True),
        ("torch.Tensor.__gt__", ResultKind.TENSOR, ResultDevice.OPERANDS, Dimensions.OPERANDS, True),
        ("torch.Tensor.isnan", ResultKind.TENSOR, ResultDevice.OPERANDS, Dimensions.OPERANDS, True),
        ("torch.any", ResultKind.TENSOR, ResultDevice.OPERANDS, Dimensions.ZERO_WITHOUT_DIM, True),
        ("torch.sum", ResultKind.TENSOR, ResultDevice.OPERANDS, Dimensions.ZERO_WITHOUT_DIM, False),
        ("torch.dist", ResultKind.TENSOR, ResultDevice.OPERANDS, Dimensions.ZERO, False),
        ("torch.nonzero", ResultKind.TENSOR, ResultDevice.OPERANDS, Dimensions.NONZERO, False),
        ("torch.exp", ResultKind.TENSOR, ResultDevice.OPERANDS, Dimensions.OPERANDS, False),
        ("torch.sort", ResultKind.TENSORS, ResultDevice.OPERANDS, Dimensions.OPERANDS, None),
        ("torch.Tensor.add_", ResultKind.SELF, ResultDevice.FIRST, Dimensions.OPERANDS, None),
        ("torch.Tensor.chunk", ResultKind.TENSORS, ResultDevice.FIRST, Dimensions.UNKNOWN, None),
        ("torch.Tensor.cpu", ResultKind.TENSOR, ResultDevice.HOST, Dimensions.OPERANDS, None),
        ("torch.Tensor.cuda", ResultKind.TENSOR, ResultDevice.ACCELERATOR, Dimensions.OPERANDS, None),
        ("torch.Tensor.to", ResultKind.TENSOR, ResultDevice.ARGUMENT, Dimensions.OPERANDS, None),
        ("torch.Tensor.item", ResultKind.SCALAR, ResultDevice.NONE, Dimensions.UNKNOWN, None),
        ("torch.Tensor.numpy", ResultKind.ARRAY, ResultDevice.HOST, Dimensions.UNKNOWN, None),
        ("torch.Tensor.tolist", ResultKind.CONTAINER, ResultDevice.NONE, Dimensions.UNKNOWN, None),
        ("torch.Tensor.device", ResultKind.DEVICE, ResultDevice.NONE, Dimensions.UNKNOWN, None),
        ("torch.zeros", ResultKind.TENSOR, ResultDevice.ARGUMENT, Dimensions.UNKNOWN, None),
        ("torch.from_numpy", ResultKind.TENSOR, ResultDevice.HOST, Dimensions.UNKNOWN, None),
        ("torch.FloatTensor", ResultKind.TENSOR, ResultDevice.HOST, Dimensions.NONZERO, False),
        ("torch.Tensor.__setitem__", ResultKind.NONE, ResultDevice.NONE, Dimensions.UNKNOWN, None),
    ],
)
def test_result(
    name: str, kind: ResultKind, device: ResultDevice, rank: Dimensions, boolean: bool | None
) -> None:
    result = row(name).result
    assert (result.kind, result.device, result.rank, result.boolean) == (kind, device, rank, boolean)


@pytest.mark.parametrize(
    ("name", "positional"),
    [
        ("torch.add", "input other"),
        ("torch.Tensor.add_", "self other"),
        ("torch.where", "condition input other"),
        ("torch.max", "input dim keepdim"),
        ("torch.cat", "tensors dim"),
        ("torch.einsum", "equation operands"),
        ("torch.zeros", "size"),
        ("torch.full", "size fill_value"),
        ("torch.arange", "start end step"),
        ("torch.randint", "low high size"),
        ("torch.tensor", "data"),
        ("torch.Tensor.to", "self device dtype non_blocking copy"),
        ("torch.Tensor.scatter_", "self dim index src"),
        ("torch.nn.functional.linear", "input weight bias"),
        ("torch.nn.functional.cross_entropy", "input target weight"),
        ("torch.nn.functional.embedding", "input weight padding_idx"),
        ("torch.nn.functional.scaled_dot_product_attention", "query key value attn_mask"),
        ("torch.nn.utils.rnn.pack_padded_sequence", "input lengths batch_first"),
        ("torch.Tensor.__getitem__", "self indices"),
        ("torch.gather", "input dim index"),
    ],
)
def test_positional_arguments(name: str, positional: str) -> None:
    listed = [each.name for each in row(name).arguments if not each.keyword_only]
    assert listed[: len(positional.split())] == positional.split()


def test_kinds_of_arguments() -> None:
    factory = row("torch.randn")
    assert argument(factory, "device").kind is ArgumentKind.DEVICE
    assert argument(factory, "generator").kind is ArgumentKind.GENERATOR
    assert argument(factory, "size").variadic
    assert factory.random
    assert not row("torch.zeros").random
    assert argument(row("torch.stack"), "tensors").kind is ArgumentKind.TENSORS
    assert argument(row("torch.scatter"), "index").kind is ArgumentKind.TENSOR
    assert argument(row("torch.nn.utils.rnn.pack_padded_sequence"), "lengths").host
    assert argument(row("torch.Tensor.tensor_split"), "indices_or_sections").host
    assert argument(row("torch.Tensor.__getitem__"), "indices").index


def test_results_that_are_tuples_only_with_an_argument() -> None:
    assert row("torch.max").result.tensors_with == ("dim",)
    assert row("torch.unique").result.tensors_with == ("return_inverse", "return_counts")
    assert row("torch.nonzero").result.tensors_with == ("as_tuple",)
    assert row("torch.nn.functional.max_pool2d").result.tensors_with == ("return_indices",)


def test_which_arguments_must_match() -> None:
    linear, split = row("torch.nn.functional.linear"), row("torch.tensor_split")
    assert linear.must_match(argument(linear, "bias"))
    assert not split.must_match(argument(split, "indices_or_sections"))
    fill = row("torch.Tensor.fill_")
    assert not fill.must_match(argument(fill, "value"))
    masked_fill = row("torch.Tensor.masked_fill")
    assert masked_fill.must_match(argument(masked_fill, "value"))  # a device scalar into a host tensor raises
    zeros_like = row("torch.zeros_like")
    assert not zeros_like.must_match(argument(zeros_like, "input"))


@pytest.mark.parametrize(
    "name",
    ["as_tensor", "asarray", "from_numpy", "frombuffer", "item", "new_tensor", "numpy", "tensor", "tolist"],
)
def test_between_data_of_the_host_and_tensors(name: str) -> None:
    assert is_between_host_data_and_tensors(name)


@pytest.mark.parametrize(
    "name", ["Tensor", "cpu", "get_rng_state", "mean", "pin_memory", "relu", "shape", "zeros"]
)
def test_on_tensors_alone(name: str) -> None:
    assert not is_between_host_data_and_tensors(name)


@pytest.mark.parametrize(
    ("name", "floating"),
    [
        ("torch.add", True),
        ("torch.cat", True),
        ("torch.Tensor.sum", True),
        ("torch.nn.functional.cross_entropy", True),
        ("torch.argmax", False),
        ("torch.Tensor.long", False),
        ("torch.Tensor.nonzero", False),
        ("torch.fft.fft", False),
        ("torch.bucketize", False),
        ("torch.sort", None),
        ("torch.max", None),
    ],
)
def test_results_of_floating_point_operands(name: str, floating: bool | None) -> None:
    assert row(name).result.floating is floating
