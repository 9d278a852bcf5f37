"""The check of a kernel's operands if they are on several devices, by the table of kernels."""

from __future__ import annotations

from typing import Any

import torch

from devlint.operators import DeviceRule, Operator, OperatorArgument, ResultDevice
from devlint.operators.kernels import find_kernel
from devlint.simulation import errors
from devlint.simulation.checkers import checker
from devlint.simulation.devices import HOST
from devlint.simulation.legacy import dtype_word
from devlint.simulation.operands import KernelOperand, Signature
from devlint.simulation.own_rules import FILLS_BY_INDEX, FIRST_CHECKS, OWN_RULES

Label = torch.device | None


class KernelDemand:
    """The devices that one kernel requires of its operands."""

    def __init__(self, overload: Any, signature: Signature) -> None:
        name, variant = overload._schema.name, overload._schema.overload_name
        self._name = name.rpartition("::")[2]
        self._overload = variant
        self._signature = signature
        self._operator = find_kernel(f"{name}.{variant}" if variant else name)
        self._arguments = (
            {argument.name: argument for argument in self._operator.arguments} if self._operator else {}
        )

    @property
    def on_host(self) -> bool:
        """Whether the result is on the host, wherever the operands are."""
        return self._operator is not None and self._operator.result.device is ResultDevice.HOST

    @property
    def wants_host(self) -> bool:
        """Whether an operand must be on the host. Then operands on one common device may be wrong."""
        return any(argument.host for argument in self._arguments.values())

    @property
    def host_results(self) -> tuple[int, ...]:
        """Positions of results that are on the host, while the others are on the device of the operands."""
        return _HOST_RESULTS.get(self._name, ())

    @property
    def missing(self) -> Exception | None:
        """The error of kernels that do not exist for CUDA."""
        name = f"{self._name}.{self._overload}" if self._overload else self._name
        backend = _HOST_KERNELS.get(self._name) or _HOST_KERNELS.get(name)
        return None if backend is None else errors.no_kernel(f"aten::{name}", backend)

    def judge(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Label, Exception | None]:
        """The label of a kernel's result for operands on several devices, and the error that CUDA raises.

        `function` is the torch function that runs the kernel.
        """
        operands = self._signature.operands(args, kwargs)
        if function is torch.Tensor.__setitem__ and self._name in FILLS_BY_INDEX:
            return self._result(operands), None
        named = dict(zip(self._signature.names, args, strict=False)) | kwargs
        error = self._error(operands, named)
        return self._result(operands), error

    def _error(self, operands: list[KernelOperand], named: dict[str, Any]) -> Exception | None:
        if self._name in OWN_RULES:
            return OWN_RULES[self._name](operands, named)
        if self.missing is not None:
            return self.missing
        if self._name in _RESIZING and (error := _output(operands, self._signature.outputs)) is not None:
            return error
        if self._name in FIRST_CHECKS and (error := FIRST_CHECKS[self._name](operands)) is not None:
            return error
        operator = self._operator
        if operator is None:
            return self._different(operands, operands)
        for operand in operands:
            argument = self._argument(operand)
            if argument is not None and argument.host and operand.label is not None:
                return _wrong_place(self._name, operand)
        if (error := self._index(operands)) is not None:
            return error
        if operator.rule is DeviceRule.SAME:
            return self._different(operands, self._matching(operands, operator))
        if operator.rule is DeviceRule.SAME_OR_0_DIM_HOST:
            return self._elementwise(self._matching(operands, operator), operator)
        return None

    def _argument(self, operand: KernelOperand) -> OperatorArgument | None:
        return self._arguments.get(operand.argument)

    def _matching(self, operands: list[KernelOperand], operator: Operator) -> list[KernelOperand]:
        return [
            operand
            for operand in operands
            if (argument := self._argument(operand)) is None or operator.must_match(argument)
        ]

    def _index(self, operands: list[KernelOperand]) -> Exception | None:
        """An index must be on the host or on the device of the indexed tensor."""
        indexed = operands[0].label
        for operand in operands:
            argument = self._argument(operand)
            if argument is not None and argument.index and operand.label not in (None, indexed):
                return errors.index(indexed or HOST)
        return None

    def _different(self, operands: list[KernelOperand], matching: list[KernelOperand]) -> Exception | None:
        """All operands must be on the device of the first one, as in torch's generated checks."""
        allowed = {
            id(operand.tensor)
            for operand in operands
            if operand.tensor.dim() == 0
            and (argument := self._argument(operand)) is not None
            and (
                (argument.zero_dim_host and operand.label is None)
                or (argument.zero_dim_anywhere and (operand.label is None or operands[0].label is not None))
            )
        }
        matching = [operand for operand in matching if id(operand.tensor) not in allowed]
        for operand in matching[1:]:
            if operand.label is not matching[0].label:
                if any(each.tensor.is_meta for each in matching):
                    return errors.meta(
                        "meta", next(each.place for each in matching if not each.tensor.is_meta)
                    )
                writes_out = matching[0].argument in self._signature.outputs
                method, names = checker(self._name, self._overload, writes_out=writes_out)
                name = names.get(operand.argument, operand.argument)
                return errors.argument(method, name, operand.place, matching[0].place)
        return None

    def _elementwise(self, matching: list[KernelOperand], operator: Operator) -> Exception | None:
        """All operands must be on the device of the first one that is not on the host; 0-dim host tensors may
        differ."""
        common = next((operand.label for operand in matching if operand.label is not None), None)
        for operand in matching:
            if operand.label is common:
                continue
            argument = self._argument(operand)
            may_be_host = argument is None or operator.takes_zero_dim_host(argument)
            if operand.tensor.dim() == 0 and operand.label is None and may_be_host:
                continue
            if operand.tensor.dim() == 0 and argument is not None and argument.zero_dim_anywhere:
                continue
            if any(each.tensor.is_meta for each in matching):
                expected, *others = (each.place for each in matching)
                return errors.meta(next(place for place in others if place != expected), expected)
            return errors.iterator(common or HOST, operand.place)
        return None

    def _result(self, operands: list[KernelOperand]) -> Label:
        device = self._operator.result.device if self._operator else ResultDevice.OPERANDS
        if device is ResultDevice.HOST:
            return None
        if device is not ResultDevice.OPERANDS or self._name in OWN_RULES:
            return operands[0].label
        return next((operand.label for operand in operands if operand.label is not None), None)


def _output(operands: list[KernelOperand], outputs: tuple[str, ...]) -> Exception | None:
    others = [operand for operand in operands if operand.argument not in outputs]
    for operand in operands:
        if operand.argument in outputs and operand.label is not others[0].label:
            return errors.output(others[0].place, operand.place)
    return None


def _wrong_place(kernel: str, operand: KernelOperand) -> Exception:
    if kernel == "_pack_padded_sequence":
        tensor = operand.tensor
        return errors.lengths(tensor.dim(), operand.label, dtype_word(tensor.dtype))
    return errors.host_argument(operand.argument, operand.label)


_HOST_KERNELS = {
    "histogram": "CUDA",
    "_histogramdd_bin_edges": "CUDA",
    "_histogramdd_from_bin_cts": "CUDA",
    "_histogramdd_from_bin_tensors": "CUDA",
    "_sparse_mm_reduce_impl": "SparseCsrCUDA",
    "_upsample_lanczos2d_aa": "CUDA",
    "from_file": "CUDA",
    "narrow_copy.out": "CUDA",
}
"""Kernels or overloads that torch 2.13 has for the CPU and not for CUDA, with the backend in the error."""

_HOST_RESULTS = {"_pack_padded_sequence": (1,)}

_RESIZING = frozenset(
    (
        *("all", "any", "cumprod", "cumsum", "detach_copy", "diagonal_copy", "logsumexp", "mean", "prod"),
        *("renorm", "select_copy", "slice_copy", "sum", "view_as_real_copy"),
    )
)
"""Kernels that check their `out=` first, to resize it."""
