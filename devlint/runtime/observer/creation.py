"""The creation of tensors: where, and whether a device was named."""

from __future__ import annotations

import torch

from devlint.model import OriginStep, Step
from devlint.operators import ArgumentKind, DeviceRule
from devlint.runtime.observer.call import ObservedCall
from devlint.runtime.observer.operands import device_of
from devlint.tensors.provenance import note_array, remember

_TIES = ("generator", "pin_memory", "out")
"""Arguments that require the device that the factory used."""


def note_made(call: ObservedCall, result: object) -> None:
    """Records where the tensors that a factory returns were created."""
    for tensor in result if isinstance(result, list | tuple) else (result,):
        if isinstance(tensor, torch.Tensor) and all(tensor is not operand for operand in call.args):
            remember(tensor, _step(call, tensor))
            if call.args:
                note_array(tensor, call.args[0])


def _step(call: ObservedCall, tensor: torch.Tensor) -> OriginStep:
    is_factory = call.row.operator.rule is DeviceRule.FACTORY
    return OriginStep(
        Step.MADE,
        call.site,
        device_of(tensor),
        call.name,
        implicit=is_factory and not _names_device(call),
        tied=any(_is_set(call.bound.values.get(name)) for name in _TIES),
    )


def _is_set(value: object) -> bool:
    return value is not None and value is not False


def _names_device(call: ObservedCall) -> bool:
    return any(
        argument.kind is ArgumentKind.DEVICE and value is not None
        for argument, value in call.bound.arguments()
    )
