"""The creation of tensors: where, and whether a device was named."""

from __future__ import annotations

import torch

from devlint.model import OriginStep, Step
from devlint.operators import ArgumentKind, DeviceRule
from devlint.runtime.observer.call import ObservedCall
from devlint.runtime.observer.operands import device_of
from devlint.runtime.places.expressions import first_called
from devlint.runtime.places.frames import user_frame
from devlint.tensors.provenance import note_array, origin_of, remember

_TIES = ("generator", "pin_memory", "out")
"""Arguments that require the device that the factory used."""


def note_made(call: ObservedCall, result: object) -> None:
    """Records where the tensors that a factory returns were created."""
    for tensor in result if isinstance(result, list | tuple) else (result,):
        if isinstance(tensor, torch.Tensor) and all(tensor is not operand for operand in call.args):
            remember(tensor, _step(call, tensor))
            if call.args:
                note_array(tensor, call.args[0])


def note_legacy(call: ObservedCall, tensor: torch.Tensor) -> None:
    """Record that the program's own line makes a tensor by a legacy type (`torch.FloatTensor(data)`), whose
    constructor no mode gets."""
    frame = user_frame(call.frame)
    if frame is None or not call.direct or origin_of(tensor).steps:
        return
    first, *path = first_called(call.called.get("self", "")).split(".")
    made: object = frame.f_locals.get(first, frame.f_globals.get(first))
    for name in path:
        made = getattr(made, name, None)
    if isinstance(made, type) and type(made) is type(torch.FloatTensor):
        name = f"{made.__module__}.{made.__name__}"
        remember(tensor, OriginStep(Step.MADE, call.site, device_of(tensor), name))


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
