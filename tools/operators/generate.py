"""Generates rows from torch alone: from the native schemas and the signatures of its Python functions."""

from __future__ import annotations

from collections.abc import Sequence

import torch

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
from tools.operators.resolve import resolve
from tools.operators.schema import Check, Overload, native_functions
from tools.operators.signature import inspected, union

TORCH = ".".join(torch.__version__.split("+")[0].split(".")[:2])
_TENSOR_KINDS = (ArgumentKind.TENSOR, ArgumentKind.TENSORS)
REDUCED = frozenset({"dim", "axis", "dims"})
"""Arguments without which the result of a reduction is 0-dim."""


def generated(name: str) -> Operator | None:
    """The row for a name as torch itself describes it; None if it has no schema and no signature."""
    overloads = native_functions().get(name) or native_functions().get(_twin(name), [])
    arguments = inspected(resolve(name))
    composite = f"torch {TORCH}: a Python function, composed of native ones"
    if arguments is None:
        if not overloads:
            return None
        arguments = union(overloads)
        kind = ("no tensor operand", "one tensor operand", "composed of other operators")[
            min(_tensors(arguments), 2)
        ]
        composite = f"native_functions.yaml {TORCH}: {overloads[0].text}, {kind}"
    rule, source = _native_rule(overloads) or (_default_rule(arguments), composite)
    return Operator(
        name=name,
        rule=rule,
        arguments=arguments,
        result=_result(name, overloads, arguments),
        sync=Sync(SyncWhen.NEVER),
        random=_is_random(overloads, arguments),
        source=source,
    )


def _twin(name: str) -> str:
    """`torch.conv1d` for `torch.nn.functional.conv1d`, where both are the same object."""
    prefix, _, last = name.rpartition(".")
    twin = f"torch.{last}"
    return twin if prefix == "torch.nn.functional" and resolve(twin) is resolve(name) else ""


def _tensors(arguments: Sequence[OperatorArgument]) -> int:
    """How many arguments can be operands; a list of tensors counts twice, because it can contain several."""
    return sum(
        1 + (argument.kind is ArgumentKind.TENSORS)
        for argument in arguments
        if argument.kind in _TENSOR_KINDS and argument.name != "out"
    )


def _native_rule(overloads: Sequence[Overload]) -> tuple[DeviceRule, str] | None:
    """The rule of the strictest overload with several tensors that has its own kernel."""
    checked = [
        overload for overload in overloads if overload.tensors > 1 and overload.check is not Check.COMPOSITE
    ]
    if not checked:
        return None
    strictest = min(checked, key=lambda overload: (overload.check is Check.NONE, overload.is_out))
    same = strictest.check is Check.EXACT_SAME
    return (
        DeviceRule.SAME if same else DeviceRule.SAME_OR_0_DIM_HOST,
        f"native_functions.yaml {TORCH}: {strictest.text} {strictest.check.value}",
    )


def _default_rule(arguments: Sequence[OperatorArgument]) -> DeviceRule:
    has_device = any(argument.kind is ArgumentKind.DEVICE for argument in arguments)
    tensors = _tensors(arguments)
    if has_device:
        return DeviceRule.LIKE if tensors else DeviceRule.FACTORY
    return DeviceRule.SAME if tensors else DeviceRule.METADATA


def _result(
    name: str, overloads: Sequence[Overload], arguments: Sequence[OperatorArgument]
) -> OperatorResult:
    kinds = [_result_kind(overload) for overload in overloads if not overload.is_out]
    if not kinds:
        kinds = [_result_kind(overload) for overload in overloads] or [ResultKind.TENSOR]
    tensors_with: tuple[str, ...] = ()
    kind = kinds[0]
    if set(kinds) == {ResultKind.TENSOR, ResultKind.TENSORS}:
        kind, tensors_with = ResultKind.TENSOR, ("dim",)
    if name.startswith("torch.Tensor.") and name.endswith("_") and not name.endswith("__"):
        kind = ResultKind.SELF
    return OperatorResult(
        kind, _result_device(kind, arguments), _rank(overloads, arguments), None, tensors_with
    )


def _result_kind(overload: Overload) -> ResultKind:
    if overload.returns_self:
        return ResultKind.SELF
    if not overload.returns:
        return ResultKind.NONE
    if len(overload.returns) > 1 or overload.returns[0].endswith("[]"):
        return ResultKind.TENSORS if overload.returns[0].startswith("Tensor") else ResultKind.OTHER
    return ResultKind.TENSOR if overload.returns[0] == "Tensor" else ResultKind.SCALAR


def _result_device(kind: ResultKind, arguments: Sequence[OperatorArgument]) -> ResultDevice:
    if kind is ResultKind.SELF:
        return ResultDevice.FIRST
    if kind not in (ResultKind.TENSOR, ResultKind.TENSORS):
        return ResultDevice.NONE
    if any(argument.kind is ArgumentKind.DEVICE for argument in arguments):
        return ResultDevice.ARGUMENT
    return ResultDevice.OPERANDS if _tensors(arguments) else ResultDevice.ARGUMENT


def _rank(overloads: Sequence[Overload], arguments: Sequence[OperatorArgument]) -> Dimensions:
    tags = frozenset[str]().union(*(overload.tags for overload in overloads)) if overloads else frozenset()
    if "reduction" in tags and any(argument.name in REDUCED for argument in arguments):
        return Dimensions.ZERO_WITHOUT_DIM
    return Dimensions.OPERANDS if "pointwise" in tags else Dimensions.UNKNOWN


def _is_random(overloads: Sequence[Overload], arguments: Sequence[OperatorArgument]) -> bool:
    return any("nondeterministic_seeded" in overload.tags for overload in overloads) or any(
        argument.kind is ArgumentKind.GENERATOR for argument in arguments
    )
