"""Generates the rows of ATen's kernels from torch's files, one for each overload that a dispatch mode sees.

Composite operators on tensors have no row: torch decomposes them before the mode is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from torchgen.model import NativeFunction

from devlint.operators import (
    ArgumentKind,
    DeviceRule,
    Dimensions,
    Operator,
    OperatorArgument,
    OperatorResult,
    ResultDevice,
    ResultKind,
    Sync,
    SyncWhen,
)
from tools.operators.generate import REDUCED, TORCH
from tools.operators.schema import Check, argument_kind, device_check, parsed

_TENSOR_KINDS = (ArgumentKind.TENSOR, ArgumentKind.TENSORS)
_YAML = f"native_functions.yaml {TORCH}"
_MADE_UP = "generated"
"""torchgen's tag for overloads that are not in the file: they call another overload and copy."""


def kernels() -> dict[str, Operator]:
    """All rows by name: `aten::add.Tensor`, `aten::relu`."""
    return {f"aten::{function.func.name}": _kernel(function) for function in _functions()}


def _functions() -> Iterator[NativeFunction]:
    for function in parsed().native_functions:
        if "Dimname" not in str(function.func) and not _is_decomposed(function):
            yield function


def _is_decomposed(function: NativeFunction) -> bool:
    composite = function.has_composite_implicit_autograd_kernel
    tensors = _tensors(tuple(_arguments(function)))
    return composite and tensors > 0 and device_check(function) is Check.COMPOSITE


def _kernel(function: NativeFunction) -> Operator:
    arguments = tuple(_arguments(function))
    rule, source = _rule(function, arguments)
    kernel = Operator(
        name=f"aten::{function.func.name}",
        rule=rule,
        arguments=arguments,
        result=_result(function, arguments),
        sync=Sync(SyncWhen.NEVER),
        random="nondeterministic_seeded" in function.tags,
        source=source,
    )
    marked = (_marked(kernel, argument, function) for argument in arguments)
    return replace(kernel, arguments=tuple(marked))


def _arguments(function: NativeFunction) -> Iterator[OperatorArgument]:
    arguments = function.func.arguments
    for argument in arguments.flat_positional:
        yield OperatorArgument(argument.name, argument_kind(argument))
    for argument in (*arguments.flat_kwarg_only, *arguments.out):
        yield OperatorArgument(argument.name, argument_kind(argument), keyword_only=True)


def _rule(function: NativeFunction, arguments: Sequence[OperatorArgument]) -> tuple[DeviceRule, str]:
    tensors = _tensors(arguments)
    if any(argument.kind is ArgumentKind.DEVICE for argument in arguments):
        return (DeviceRule.LIKE if tensors else DeviceRule.FACTORY), f"{_YAML}: takes a device"
    if tensors < 2:
        rule = DeviceRule.SAME if tensors else DeviceRule.METADATA
        return rule, f"{_YAML}: {'one tensor operand' if tensors else 'no tensor operand'}"
    if _MADE_UP in function.tags:
        return DeviceRule.SAME, f"{_YAML}: generated, calls another overload and copies"
    match device_check(function):
        case Check.EXACT_SAME:
            return DeviceRule.SAME, f"{_YAML}: ExactSame"
        case Check.NONE:
            return DeviceRule.SAME_OR_0_DIM_HOST, f"{_YAML}: NoCheck"
        case Check.COMPOSITE:
            return DeviceRule.SAME, f"{_YAML}: no CUDA kernel, calls others"


def _marked(kernel: Operator, argument: OperatorArgument, function: NativeFunction) -> OperatorArgument:
    """The argument with the marks of arguments that are written to, which the rule does not express."""
    if argument.name not in _written(function):
        return argument
    if _MADE_UP in function.tags and function.func.is_out_fn():
        return replace(argument, anywhere=True)
    if kernel.takes_zero_dim_host(argument):
        return replace(argument, zero_dim_host=False)
    return argument


def _written(function: NativeFunction) -> set[str]:
    arguments = function.func.arguments
    return {
        argument.name
        for argument in (*arguments.flat_non_out, *arguments.out)
        if argument.annotation is not None and argument.annotation.is_write
    }


def _result(function: NativeFunction, arguments: Sequence[OperatorArgument]) -> OperatorResult:
    kind = _result_kind(function)
    return OperatorResult(kind, _result_device(kind, arguments), _rank(function, arguments))


def _result_kind(function: NativeFunction) -> ResultKind:
    returns = function.func.returns
    types = [str(value.type) for value in returns]
    if not types:
        return ResultKind.NONE
    positional = function.func.arguments.flat_positional
    if returns[0].is_write and positional and returns[0].annotation == positional[0].annotation:
        return ResultKind.SELF
    if "Tensor[]" in types or types.count("Tensor") > 1:
        return ResultKind.TENSORS
    if types == ["Tensor"]:
        return ResultKind.TENSOR
    return ResultKind.OTHER if len(types) > 1 else ResultKind.SCALAR


def _result_device(kind: ResultKind, arguments: Sequence[OperatorArgument]) -> ResultDevice:
    if kind is ResultKind.SELF:
        return ResultDevice.FIRST
    if kind not in (ResultKind.TENSOR, ResultKind.TENSORS):
        return ResultDevice.NONE
    has_device = any(argument.kind is ArgumentKind.DEVICE for argument in arguments)
    return ResultDevice.OPERANDS if _tensors(arguments) and not has_device else ResultDevice.ARGUMENT


def _rank(function: NativeFunction, arguments: Sequence[OperatorArgument]) -> Dimensions:
    if "reduction" in function.tags and any(argument.name in REDUCED for argument in arguments):
        return Dimensions.ZERO_WITHOUT_DIM
    return Dimensions.OPERANDS if "pointwise" in function.tags else Dimensions.UNKNOWN


def _tensors(arguments: Sequence[OperatorArgument]) -> int:
    """How many operands there can be; a list of tensors counts twice, because it can contain several."""
    return sum(
        1 + (argument.kind is ArgumentKind.TENSORS)
        for argument in arguments
        if argument.kind in _TENSOR_KINDS
    )
