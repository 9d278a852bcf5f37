"""Whether gradients on simulated devices are those of the CPU, over torch's operator database.

    python -m tests.simulation.gradients [operator ...]

The gradient is that of the sum of squares of all results, for the first calls of each operator. Calls that
CUDA refuses are left out.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.testing._internal.opinfo.core import OpInfo
from torch.utils._pytree import tree_leaves

from devlint.simulation import Simulation
from tests.simulation.fidelity import UNINITIALIZED, equal
from tools.operators.samples import Inputs, entries, inputs_of, placed, seed

CALLS = 6
"""As many of each operator."""

Gradients = list[Tensor | None]


class Comparison(NamedTuple):
    """One call's gradients, on the CPU and on the simulated device."""

    operator: str
    call: int
    agrees: bool


def comparisons(names: Iterable[str]) -> Iterator[Comparison]:
    """The calls that can be differentiated both on the CPU and on the simulated device."""
    for name in names:
        info = entries()[name]
        if name in UNINITIALIZED or not info.supports_autograd:
            continue
        for place, call in enumerate(inputs_of(info, requires_grad=True)[:CALLS]):
            expected = _gradients(info, call, _stays)
            with Simulation("cuda"):
                found = _gradients(info, call, _moves)
            if expected and found:
                yield Comparison(
                    name, place, len(expected) == len(found) and all(map(_same, expected, found))
                )


def _stays(tensor: Tensor) -> Tensor:
    return tensor


def _moves(tensor: Tensor) -> Tensor:
    return tensor.detach().cuda().requires_grad_(tensor.requires_grad)


def _gradients(info: OpInfo, call: Inputs, place: Callable[[Tensor], Tensor]) -> Gradients:
    """None at all for a call that cannot be differentiated, or is refused."""
    args, kwargs = placed(call, place)
    operands = [leaf for leaf in tree_leaves((args, kwargs)) if _differentiable(leaf)]
    seed()
    try:
        results = [leaf for leaf in tree_leaves(info.op(*args, **kwargs)) if _differentiable(leaf)]
        squares = [(result * result.conj()).real.sum() for result in results]
        gradients: Gradients = list(torch.autograd.grad(squares, operands, allow_unused=True))
    except Exception:
        return []
    return [None if gradient is None else gradient.cpu() for gradient in gradients]


def _differentiable(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) and leaf.requires_grad


def _same(one: Tensor | None, other: Tensor | None) -> bool:
    return one is other if one is None or other is None else equal(one, other)


def main() -> None:
    """Prints the calls whose gradients differ, and how many there are."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.gradients", description=__doc__)
    parser.add_argument("operators", nargs="*", help="only these")
    warnings.simplefilter("ignore")
    found = list(comparisons(parser.parse_args().operators or entries()))
    differing = [comparison for comparison in found if not comparison.agrees]
    for comparison in differing:
        print(f"{comparison.operator} #{comparison.call}")  # noqa: T201 (a command)
    print(f"gradients as on the CPU: {len(found) - len(differing)} of {len(found)} calls")  # noqa: T201


if __name__ == "__main__":
    main()
