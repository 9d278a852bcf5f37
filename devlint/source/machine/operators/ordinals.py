"""`cuda` beside a numbered device: the first device, unless the program may have chosen another one."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Concrete, Confidence, Device
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.values import Tensor, changed
from devlint.source.machine.heap.machine import Machine


def numbered(machine: Machine, tensor: Tensor, others: Iterable[Device]) -> Tensor:
    """A tensor on `cuda` as one on `cuda:0`, if one of the other devices is numbered, and nothing in the
    program chooses a current device or reads an ordinal that is not known.

    The current device is the first one until then (CUDA's runtime API, `cudaSetDevice`).
    """
    device = tensor.device
    if not isinstance(device, Concrete) or device.index is not None:
        return tensor
    if not any(isinstance(each, Concrete) and each.type == device.type and each.index for each in others):
        return tensor
    facts = machine.process.facts
    if machine.execution.hypothesis or facts.chooses_device or facts.reads_ordinal:
        return tensor
    confidence = least_sure(tensor.confidence, Confidence.LIKELY)
    return changed(tensor, device=Concrete(device.type, 0), confidence=confidence, serial=tensor.serial)
