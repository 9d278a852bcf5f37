"""DL406: legacy tensor types that stand for a device and a dtype together."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code

_DTYPES = {
    "FloatTensor": "torch.float32",
    "DoubleTensor": "torch.float64",
    "HalfTensor": "torch.float16",
    "BFloat16Tensor": "torch.bfloat16",
    "ByteTensor": "torch.uint8",
    "CharTensor": "torch.int8",
    "ShortTensor": "torch.int16",
    "IntTensor": "torch.int32",
    "LongTensor": "torch.int64",
    "BoolTensor": "torch.bool",
}
"""The dtype of each type, from the table in `torch.Tensor`'s documentation."""


class LegacyCudaType(Rule[Setting]):
    """
    ## What it does
    Reports `torch.cuda.FloatTensor(...)`, similar legacy types, and `torch.set_default_tensor_type`.

    ## Why it matters
    A legacy type fixes both dtype and device, so the code runs on CUDA only. Its constructor also
    interprets a number as a shape and a list as data. OpenNMT had to replace
    `torch.cuda.LongTensor(list)` by `torch.tensor` with the device of the indexed tensor
    (OpenNMT/OpenNMT-py@1eec83ee7). `set_default_tensor_type` is deprecated since torch 2.1.

    ## Use instead
    Use `torch.tensor(data, dtype=..., device=...)`, `torch.set_default_dtype` and
    `torch.set_default_device`.

    ## When not to
    There is no reason to use these types in new code. An output for a CUDA kernel, in `forward` or
    `backward` of an `autograd.Function`, is not reported, because that code runs on CUDA only.

    ## References
    - [`torch.Tensor`](https://docs.pytorch.org/docs/stable/tensors.html) -
      [`torch.set_default_tensor_type`](https://docs.pytorch.org/docs/stable/generated/torch.set_default_tensor_type.html)
    - [OpenNMT/OpenNMT-py@1eec83ee7](https://github.com/OpenNMT/OpenNMT-py/commit/1eec83ee7)
    """

    code = "DL406"
    name = "legacy-cuda-type"
    severity = Severity.WARNING
    enabled = True
    event = Setting
    about = frozenset({SettingKind.LEGACY_TYPE})
    examples = (
        Example(
            bad="""
                import torch

                def lengths(batch, index: torch.Tensor) -> torch.Tensor:
                    counts = torch.cuda.LongTensor([len(row) for row in batch])  # error: [DL406]
                    return counts[index]
            """,
            good="""
                import torch

                def lengths(batch, index: torch.Tensor) -> torch.Tensor:
                    counts = torch.tensor([len(row) for row in batch], device=index.device)
                    return counts[index]
            """,
        ),
        Example(
            bad="""
                import torch

                if torch.cuda.is_available():
                    torch.set_default_tensor_type("torch.cuda.FloatTensor")  # error: [DL406]
            """,
            good="""
                import torch

                if torch.cuda.is_available():
                    torch.set_default_device("cuda")
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The type, or the call that makes it the default."""
        yield Draft(
            code=self.code,
            message=f"{code(event.value)} is a legacy type that fixes both dtype and device",
            site=event.site,
            help=_help_text(event.value),
            cause=event.site,
        )


def _help_text(name: str) -> str:
    dtype = _DTYPES.get(name.rpartition(".")[2])
    if dtype is None:
        return "use `torch.set_default_dtype` and `torch.set_default_device`"
    return f"use `torch.tensor(..., dtype={dtype}, device=...)`"
