"""Whether a kernel takes operands that do not all lie on one device, as the table of kernels has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from devlint.operators import Argument, DeviceRule, Operator, ResultDevice
from devlint.operators.kernels import find_kernel
from devlint.runtime.simulation import errors
from devlint.runtime.simulation.devices import HOST
from devlint.runtime.simulation.methods import checker
from devlint.runtime.simulation.operands import Operand, Signature

Label = torch.device | None


class Demand:
    """What one kernel demands of its operands."""

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
        """Whether the result is on the host wherever the operands are."""
        return self._operator is not None and self._operator.result.device is ResultDevice.HOST

    @property
    def wants_host(self) -> bool:
        """Whether some operand has to be on the host, so that operands on one device may be wrong."""
        return any(argument.host for argument in self._arguments.values())

    @property
    def host_results(self) -> tuple[int, ...]:
        """Positions of results that are on the host while the others are with the operands."""
        return _HOST_RESULTS.get(self._name, ())

    @property
    def missing(self) -> Exception | None:
        """The error of kernels that CUDA does not have."""
        if self._name not in _HOST_KERNELS:
            return None
        name = f"aten::{self._name}.{self._overload}" if self._overload else f"aten::{self._name}"
        return errors.no_kernel(name, _HOST_KERNELS[self._name])

    def judge(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Label, Exception | None]:
        """The label of what a kernel makes of operands on several devices, and the error that CUDA raises."""
        operands = self._signature.operands(args, kwargs)
        error = self._error(operands)
        return self._result(operands), error

    def _error(self, operands: list[Operand]) -> Exception | None:
        if self._name in _OWN_RULES:
            return _OWN_RULES[self._name](operands)
        if self.missing is not None:
            return self.missing
        if self._name in _RESIZING and (error := _output(operands, self._signature.outputs)) is not None:
            return error
        if self._name in _FIRST and (error := _FIRST[self._name](operands)) is not None:
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

    def _argument(self, operand: Operand) -> Argument | None:
        return self._arguments.get(operand.argument)

    def _matching(self, operands: list[Operand], operator: Operator) -> list[Operand]:
        return [
            operand
            for operand in operands
            if (argument := self._argument(operand)) is None or operator.must_match(argument)
        ]

    def _index(self, operands: list[Operand]) -> Exception | None:
        """An index has to be on the host or with the indexed tensor."""
        indexed = operands[0].label
        for operand in operands:
            argument = self._argument(operand)
            if argument is not None and argument.index and operand.label not in (None, indexed):
                return errors.index(indexed or HOST)
        return None

    def _different(self, operands: list[Operand], matching: list[Operand]) -> Exception | None:
        """All on one device: the first one's, as torch's generated checks have it."""
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
                writes_out = matching[0].argument in self._signature.outputs
                method, names = checker(self._name, self._overload, writes_out=writes_out)
                name = names.get(operand.argument, operand.argument)
                return errors.argument(method, name, operand.label or HOST, matching[0].label or HOST)
        return None

    def _elementwise(self, matching: list[Operand], operator: Operator) -> Exception | None:
        """All on the first one's device that is not the host, but for 0-dim host tensors."""
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
            return errors.iterator(common or HOST, operand.label or HOST)
        return None

    def _result(self, operands: list[Operand]) -> Label:
        device = self._operator.result.device if self._operator else ResultDevice.OPERANDS
        if device is ResultDevice.HOST:
            return None
        if device is not ResultDevice.OPERANDS or self._name in _OWN_RULES:
            return operands[0].label
        return next((operand.label for operand in operands if operand.label is not None), None)


def _output(operands: list[Operand], outputs: tuple[str, ...]) -> Exception | None:
    others = [operand for operand in operands if operand.argument not in outputs]
    for operand in operands:
        if operand.argument in outputs and operand.label is not others[0].label:
            return errors.output(others[0].label or HOST, operand.label or HOST)
    return None


def _wrong_place(kernel: str, operand: Operand) -> Exception:
    if kernel == "_pack_padded_sequence":
        tensor = operand.tensor
        return errors.lengths(tensor.dim(), operand.label, _TYPE_NAMES.get(tensor.dtype, str(tensor.dtype)))
    return errors.host_argument(operand.argument, operand.label)


def _convolution(operands: list[Operand]) -> Exception | None:
    """With the input on a device, torch speaks of tensor types; with the input on the host, kernels check."""
    source = operands[0]
    for operand in operands[1:]:
        if source.label is not None and operand.label is not source.label:
            what = "bias" if operand.argument == "bias" else "weight"
            if operand.label is None:
                return errors.convolution(what, type_name(source), type_name(operand))
        if source.label is None and operand.label is not None and source.tensor.size(0) > 1:
            return errors.convolution_on_host(type_name(source), type_name(operand))
    return None


def _distance(operands: list[Operand]) -> Exception | None:
    one, other = (operand.label or HOST for operand in operands[:2])
    return errors.distance(one.type, other.type) if one.type != other.type else None


def _scalars(operands: list[Operand]) -> Exception | None:
    """`addcmul` reads `tensor2` from the host if it is 0-dim there."""
    common = next((operand.label for operand in operands if operand.label is not None), None)
    for operand in operands[:2]:
        if operand.label is not common and operand.tensor.dim() == 0:
            return errors.scalar("addcmul", operand.argument)
    return None


def _written(operands: list[Operand]) -> Exception | None:
    """A value written through indices is where the tensor is, or 0-dim; a host tensor's indices are there, too."""
    tensor, *others = operands
    place = tensor.label or HOST
    for operand in others:
        if operand.argument != "values" or operand.label is tensor.label:
            continue
        if operand.tensor.dim() > 0:
            value = operand.label or HOST
            return errors.value(place, value) if tensor.label is not None else errors.iterator(value, place)
    for operand in others:
        if operand.argument == "indices" and tensor.label is None and operand.label is not None:
            return errors.index(place)
    return None


def _trilinear(operands: list[Operand]) -> Exception | None:
    """It multiplies its operands, unless there is nothing to multiply."""
    if not all(operand.tensor.numel() for operand in operands):
        return None
    for operand in operands[1:]:
        if operand.label is not operands[0].label:
            return errors.argument(
                "wrapper_CUDA_bmm", "mat2", operand.label or HOST, operands[0].label or HOST
            )
    return None


def _vector(operands: list[Operand]) -> Exception | None:
    """`mv` makes its result where the vector is, and then multiplies into it."""
    matrix, vector = operands[-2:]
    if matrix.label is vector.label:
        return None
    return errors.argument("wrapper_CUDA_addmv_", "mat", matrix.label or HOST, vector.label or HOST)


def _pseudo_inverse(operands: list[Operand]) -> Exception | None:
    """Tolerances meet the singular values as 1-dim tensors, unless there are no singular values."""
    source, *tolerances = operands
    for operand in tolerances:
        if operand.label is not source.label and source.tensor.numel():
            return errors.iterator(source.label or operand.label, operand.label or HOST)
    return None


def _mask(operands: list[Operand]) -> Exception | None:
    tensor, mask = operands[0], operands[1]
    if tensor.label is not mask.label:
        return errors.mask(mask.label or HOST, tensor.label or HOST)
    return None


def type_name(operand: Operand) -> str:
    """The legacy name of a tensor's type: `torch.cuda.FloatTensor`."""
    place = f"{operand.label.type}." if operand.label is not None else ""
    return f"torch.{place}{_TYPE_NAMES.get(operand.tensor.dtype, '')}Tensor"


_HOST_KERNELS = {
    "histogram": "CUDA",
    "_histogramdd_bin_edges": "CUDA",
    "_histogramdd_from_bin_cts": "CUDA",
    "_histogramdd_from_bin_tensors": "CUDA",
    "_sparse_mm_reduce_impl": "SparseCsrCUDA",
    "_upsample_lanczos2d_aa": "CUDA",
}
"""Kernels that torch 2.13 has for the CPU and not for CUDA, and the backend that it names."""

_HOST_RESULTS = {"_pack_padded_sequence": (1,)}

_RESIZING = frozenset(
    ("all", "any", "cumprod", "cumsum", "diagonal_copy", "logsumexp", "mean", "prod", "renorm", "sum")
)
"""Kernels that look at their `out=` first, to give it the right size."""

Judge = Callable[[list[Operand]], Exception | None]

_OWN_RULES: dict[str, Judge] = {
    "_trilinear": _trilinear,
    "index_put": _written,
    "index_put_": _written,
    "linalg_pinv": _pseudo_inverse,
}
"""Kernels whose rule depends on sizes. Their results lie with the first operand."""

_FIRST: dict[str, Judge] = {
    "convolution": _convolution,
    "convolution_overrideable": _convolution,
    "_euclidean_dist": _distance,
    "addcmul": _scalars,
    "masked_fill": _mask,
    "mv": _vector,
    "masked_fill_": _mask,
}
"""Kernels that look at their operands before the rule of the table does, in words of their own."""

_TYPE_NAMES = {
    torch.float32: "Float",
    torch.float64: "Double",
    torch.float16: "Half",
    torch.bfloat16: "BFloat16",
    torch.int64: "Long",
    torch.int32: "Int",
    torch.int16: "Short",
    torch.int8: "Char",
    torch.uint8: "Byte",
    torch.bool: "Bool",
    torch.complex64: "ComplexFloat",
    torch.complex128: "ComplexDouble",
}
