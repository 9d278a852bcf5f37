"""Records what the operators of torch's operator database return: kind, rank, and whether the dtype is bool
or floating point.

    python -m tools.operators.results > tools/operators/results.tsv

It runs on the CPU, with float, integer and bool samples.
"""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch.testing._internal.opinfo.core import SampleInput

from tools.operators.database import Function, operators, samples

_DTYPES = (torch.float32, torch.int64, torch.bool)


def main() -> None:
    """Prints one line for each operator: name, samples, kinds, relations of the rank, whether it is bool, and
    whether it is floating point."""
    warnings.simplefilter("ignore")
    sys.stdout.write(f"# torch {torch.__version__.split('+')[0]}\n")
    seen: dict[str, _Facts] = {}
    for name, function, info in operators():
        facts = seen.setdefault(name, _Facts())
        for dtype in _DTYPES:
            for sample in samples(info, dtype, "cpu"):
                facts.add(function, sample, of_floats=dtype.is_floating_point)
    for name in sorted(seen):
        if seen[name].samples:
            sys.stdout.write(f"{name}\t{seen[name]}\n")


class _Facts:
    """What all samples of one operator have in common."""

    def __init__(self) -> None:
        self.samples = 0
        self.kinds: set[str] = set()
        self.booleans: set[bool] = set()
        self.floats: set[tuple[bool, bool]] = set()
        """Whether the samples were floating point, and whether what was returned for them is."""
        self.ranks = {"zero", "operands", "nonzero"}
        self.saw_zero_dim = False
        """Whether a sample had only 0-dim operands; without such a sample, only a rank of 0 is conclusive."""

    def add(self, function: Function, sample: SampleInput, *, of_floats: bool) -> None:
        try:
            args, kwargs = copy.deepcopy(((sample.input, *sample.args), sample.kwargs))
            ranks = [tensor.dim() for tensor in _tensors((args, kwargs))]
            result = function(*args, **kwargs)
        except Exception:  # a sample that this dtype or build rejects is not conclusive
            return
        self.samples += 1
        self.kinds.add(_kind(result))
        tensors = list(_tensors(result))
        self.booleans.update(tensor.dtype is torch.bool for tensor in tensors)
        self.floats.update((of_floats, tensor.is_floating_point()) for tensor in tensors)
        self.saw_zero_dim |= bool(ranks) and not any(ranks)
        for tensor in tensors:
            rank = tensor.dim()
            true = {"zero": not rank, "nonzero": rank > 0, "operands": rank == max(ranks, default=-1)}
            self.ranks = {relation for relation in self.ranks if true[relation]}

    def __str__(self) -> str:
        ranks = self.ranks if self.saw_zero_dim else self.ranks & {"zero"}
        boolean = {frozenset({True}): "bool", frozenset({False}): "not-bool"}.get(
            frozenset(self.booleans), "-"
        )
        tensors = self.kinds & {"tensor", "tensors"}
        cells = (
            ",".join(sorted(self.kinds)),
            ",".join(sorted(ranks)) if tensors else "",
            boolean,
            self._floating(),
        )
        return "\t".join((str(self.samples), *(cell or "-" for cell in cells)))

    def _floating(self) -> str:
        """Whether nothing was floating point, or all that floating-point samples gave."""
        if self.floats and not any(returned for _, returned in self.floats):
            return "not-floating"
        of_floats = {returned for given, returned in self.floats if given}
        return "floating" if of_floats == {True} else ""


def _kind(result: Any) -> str:
    if isinstance(result, torch.Tensor):
        return "tensor"
    if isinstance(result, tuple | list) and result and all(isinstance(item, torch.Tensor) for item in result):
        return "tensors"
    if isinstance(result, bool | int | float | complex):
        return "scalar"
    return "none" if result is None else "other"


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)


if __name__ == "__main__":
    main()
