"""Nothing that torch lets one override is missing from the table, nor the functions beside it."""

from __future__ import annotations

import pytest

from devlint.operators import find, names, torch_versions

pytest.importorskip("torch")
from tools.operators import generate, resolve

made_with_this_torch = pytest.mark.skipif(
    generate.TORCH not in torch_versions(), reason="the table was made with another torch"
)
_BESIDE = [
    "torch.zeros",
    "torch.ones",
    "torch.empty",
    "torch.full",
    "torch.arange",
    "torch.range",
    "torch.linspace",
    "torch.logspace",
    "torch.eye",
    "torch.rand",
    "torch.randn",
    "torch.randint",
    "torch.randperm",
    "torch.normal",
    "torch.tensor",
    "torch.as_tensor",
    "torch.asarray",
    "torch.from_numpy",
    "torch.frombuffer",
    "torch.tril_indices",
    "torch.triu_indices",
    "torch.complex",
    "torch.polar",
    "torch.sparse_coo_tensor",
    "torch.sparse_csr_tensor",
    "torch.hann_window",
    "torch.hamming_window",
    "torch.blackman_window",
    "torch.bartlett_window",
    "torch.kaiser_window",
    "torch.empty_strided",
    "torch.scalar_tensor",
    "torch.zeros_like",
    "torch.ones_like",
    "torch.empty_like",
    "torch.full_like",
    "torch.rand_like",
    "torch.randn_like",
    "torch.randint_like",
    "torch.Tensor",
    "torch.FloatTensor",
    "torch.LongTensor",
    "torch.BoolTensor",
    "torch.cuda.FloatTensor",
    "torch.Tensor.new_zeros",
    "torch.Tensor.new_ones",
    "torch.Tensor.new_full",
    "torch.Tensor.new_empty",
    "torch.Tensor.new_tensor",
    "torch.Tensor.__iter__",
    "torch.Tensor.__neg__",
    "torch.Tensor.__abs__",
    "torch.Tensor.__imatmul__",
    "torch.cuda.synchronize",
    "torch.cuda.empty_cache",
    "torch.cuda.Stream.synchronize",
    "torch.cuda.Event.synchronize",
    "torch.cuda.set_device",
    "torch.cuda.is_available",
    "torch.cuda.device_count",
    "torch.cuda.current_device",
    "torch.load",
    "torch.save",
    "torch.nn.Parameter",
    "torch.nn.utils.clip_grad_norm_",
    "torch.nn.utils.parameters_to_vector",
    "torch.nn.utils.rnn.pack_padded_sequence",
    "torch.nn.utils.rnn.pad_packed_sequence",
    "torch.nn.utils.rnn.pad_sequence",
    "torch.distributions.Normal",
    "torch.distributions.normal.Normal",
    "torch.distributions.Categorical",
    "torch.nn.init.xavier_uniform_",
    "torch.Generator",
    "torch.autograd.grad",
    "torch.nn.functional.sigmoid",
    "torch.nn.functional.upsample",
    "torch.signal.windows.hann",
]


@made_with_this_torch
def test_every_overridable_function_is_covered() -> None:
    assert [name for name in resolve.overridable_names() if find(name) is None] == []


@pytest.mark.parametrize("name", _BESIDE)
def test_functions_that_cannot_be_overridden_are_covered(name: str) -> None:
    assert find(name) is not None


@made_with_this_torch
def test_every_row_names_something_that_torch_has() -> None:
    missing = {name for name in names() if resolve.resolve(name) is None}
    assert missing == {"torch.Tensor.__imatmul__"}  # Python's fallback to `__matmul__`
