"""The operators of `torch.testing`'s operator database, with samples, under devlint's names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo, SampleInput

from devlint.operators import names

SAMPLES = 160
_PREFIXES = ("nn.functional.", "linalg.", "fft.", "special.")
Function: TypeAlias = Callable[..., Any]


def operators() -> Iterator[tuple[str, Function, OpInfo]]:
    """Canonical name, function and database entry of every operator, alias, method and in-place method.

    Only names in the table. A name may occur more than once.
    """
    known = set(names())
    for name, function, info in _variants():
        if name in known:
            yield name, function, info


def _variants() -> Iterator[tuple[str, Function, OpInfo]]:
    plain = {info.name for info in op_db if not info.variant_test_name}
    for info in op_db:
        if info.variant_test_name and info.name in plain:
            continue
        yield f"torch.{info.name}", info.op, info
        for alias in info.aliases:
            yield f"torch.{alias.name}", alias.op, info
        for form in (info, *info.aliases):
            for variant in (form.method_variant, form.inplace_variant):
                name = getattr(variant, "__name__", "")
                if name and not form.name.startswith(_PREFIXES):
                    yield f"torch.Tensor.{name}", variant, info


def samples(info: OpInfo, dtype: torch.dtype, device_type: str) -> Iterator[SampleInput]:
    """At most `SAMPLES` samples on the CPU; none where the operator does not support the dtype there."""
    if dtype in info.supported_dtypes(device_type):  # type: ignore[no-untyped-call]
        made = info.sample_inputs("cpu", dtype, requires_grad=False)  # type: ignore[no-untyped-call]
        yield from (sample for sample, _ in zip(made, range(SAMPLES), strict=False))
