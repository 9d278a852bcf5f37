"""Torch's own machinery for tests of each type of device, over operators and modules, on simulated devices.

    python -m devlint run --simulate cuda --devices 2 -m tests.simulation.device_types
        [--operators 80] [--modules 40] [options of unittest ...]

The machinery makes a test of each operator, module and dtype that CUDA supports, and runs it on a stream that
is not the default one. It asks which types of devices there are when it is imported. The operators and
modules are chosen at equal distances in torch's databases.
"""

from __future__ import annotations

import copy
import unittest
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any, TypeVar

import torch
from torch.testing._internal import common_device_type as machinery
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db, modules
from torch.testing._internal.common_utils import TestCase
from torch.utils._pytree import tree_leaves, tree_map, tree_map_only

from tests.simulation.fidelity import UNINITIALIZED
from tools.operators.samples import seed

Entry = TypeVar("Entry")
DTYPES = (torch.float32, torch.complex64, torch.int64, torch.bool)

parser = ArgumentParser(prog="python -m tests.simulation.device_types")
parser.add_argument("--operators", type=int, default=80)
parser.add_argument("--modules", type=int, default=40)
GIVEN, OTHERS = parser.parse_known_args()


def spread(entries: Sequence[Entry], count: int) -> list[Entry]:
    """This many elements, evenly spaced."""
    return [entries[place * len(entries) // count] for place in range(count)]


ALONE = "partial_views"
"""A variant whose operands read memory around them, which copies do not have."""
COMPARABLE = [info for info in op_db if info.name not in UNINITIALIZED and info.variant_test_name != ALONE]
OPERATORS = spread(COMPARABLE, GIVEN.operators)
MODULES = spread(module_db, GIVEN.modules)


def on_host(values: Any) -> Any:
    """The same with its tensors copied to the host, without their history, and with the host for a device."""
    copied = tree_map_only(torch.Tensor, lambda tensor: tensor.detach().cpu(), values)
    return tree_map(lambda leaf: "cpu" if str(leaf).startswith("cuda:") else leaf, copied)


class TestOperators(TestCase):
    """Operators give the CPU's values, on the device."""

    @machinery.ops(OPERATORS, allowed_dtypes=DTYPES)  # type: ignore[untyped-decorator] # torch is untyped here
    def test_values(self, device: str, dtype: torch.dtype, op: Any) -> None:
        if not op.supports_dtype(dtype, "cpu"):
            self.skipTest("the CPU has no kernel for this dtype")
        for sample in op.sample_inputs(device, dtype):
            given = (sample.input, sample.args, sample.kwargs)
            operand, args, kwargs = on_host(given)
            seed()
            expected = op(operand, *args, **kwargs)
            seed()
            found = op(sample.input, *sample.args, **sample.kwargs)
            self.assertEqual(on_host(found), expected)

    @machinery.ops(  # type: ignore[untyped-decorator] # likewise
        [info for info in OPERATORS if info.supports_autograd], allowed_dtypes=DTYPES[:1]
    )
    def test_gradients(self, device: str, dtype: torch.dtype, op: Any) -> None:
        for sample in op.sample_inputs(device, dtype, requires_grad=True):
            results = op(sample.input, *sample.args, **sample.kwargs)
            ends = [each for each in tree_leaves(results) if getattr(each, "requires_grad", False)]
            starts = [
                each
                for each in tree_leaves((sample.input, sample.args, sample.kwargs))
                if getattr(each, "requires_grad", False)
            ]
            if ends and starts:
                sums = [end.sum().abs() for end in ends]
                for gradient in torch.autograd.grad(sums, starts, allow_unused=True):
                    assert gradient is None or gradient.device == torch.device(device)


class TestModules(TestCase):
    """Modules that are moved to the device give the CPU's values there."""

    @modules(MODULES, allowed_dtypes=DTYPES[:1])  # type: ignore[no-untyped-call, untyped-decorator] # likewise
    def test_forward(self, device: str, dtype: torch.dtype, module_info: Any, training: bool) -> None:
        inputs = module_info.module_inputs_func(
            module_info, device=device, dtype=dtype, requires_grad=True, training=training
        )
        for made, given in ((each.constructor_input, each.forward_input) for each in inputs):
            if given is None:
                continue
            args, kwargs = on_host((made.args, made.kwargs))
            here = module_info.module_cls(*args, **kwargs).to("cpu", dtype).train(training)
            there = copy.deepcopy(here).to(device)
            args, kwargs = on_host((given.args, given.kwargs))
            seed()
            expected = here(*args, **kwargs)
            seed()
            found = there(*given.args, **given.kwargs)
            self.assertEqual(on_host(found), on_host(expected))


class TestDevices(TestCase):
    """The devices that the test machinery itself knows."""

    @machinery.deviceCountAtLeast(2)  # type: ignore[no-untyped-call, untyped-decorator] # likewise
    def test_second_device(self, devices: list[str]) -> None:
        assert torch.ones(1, device=devices[1]).device == torch.device("cuda:1")

    @machinery.onlyCUDA  # type: ignore[untyped-decorator] # likewise
    def test_another_stream_than_the_default_one(self, device: str) -> None:
        assert torch.cuda.current_stream() != torch.cuda.default_stream()
        assert (torch.ones(1, device=device) + 1).item() == 2


for kind in (TestOperators, TestModules, TestDevices):
    machinery.instantiate_device_type_tests(kind, globals(), only_for=("cuda",))  # type: ignore[no-untyped-call] # likewise
del kind  # or unittest would run it as well


if __name__ == "__main__":
    unittest.main(argv=["device_types", *OTHERS])
