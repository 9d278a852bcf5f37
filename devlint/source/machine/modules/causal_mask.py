"""The causal mask that `torch.nn.Transformer` makes."""

from __future__ import annotations

from devlint.model import Origin, OriginStep, Step
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import NONE, DeviceValue, Tensor, Value
from devlint.source.machine.heap.defaults import default_device
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.operators.devices import wanted

CAUSAL_MASK = "generate_square_subsequent_mask"
"""The static method that makes one."""


def causal_mask(machine: Machine, call: Call) -> Value:
    """`nn.Transformer.generate_square_subsequent_mask(size, device=None)`: a matrix on the default device
    (torch/nn/modules/transformer.py, `_generate_square_subsequent_mask`)."""
    given = call.argument("device", 1)
    is_default = given is None or given.value == NONE
    place = DeviceValue(default_device(machine)) if given is None or is_default else wanted(machine, given)
    name = f"torch.nn.Transformer.{CAUSAL_MASK}"
    step = OriginStep(Step.MADE, call.site, place.device, name, implicit=given is None)
    return Tensor(
        place.device,
        Origin((step,)),
        rank0=False,
        shape=(None, None),
        confidence=place.confidence,
        serial=new_serial(),
        born=machine.execution.loop,
        activation=machine.frame.number,
    )
