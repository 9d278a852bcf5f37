"""Constructors that classes of modules inherit from frameworks, which load what a file stores."""

from __future__ import annotations

from devlint.model import UNKNOWN, Confidence
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.values import NONE, Value
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.modules.state import doubt, module_of, place
from devlint.source.machine.operators.devices import wanted

_CHECKPOINT = "load_from_checkpoint"
NAMES = frozenset({"from_pretrained", "from_config", _CHECKPOINT})
"""Methods of classes of Lightning, Transformers and Diffusers, and of others that follow them."""
_LOCATIONS = frozenset({"map_location", "device_map"})


def construct(machine: Machine, owner: Value, name: str, call: Call) -> Value:
    """An object of the class, which most likely gets the named arguments; a configuration is positional."""
    passed = [
        each
        for each in call.passed
        if (each.keyword or name == "from_config") and each.keyword not in _LOCATIONS
    ]
    made = machine.call(owner, call.passing(passed))
    module = module_of(made)
    if module is None:
        return made
    location = call.argument("map_location", 1) if name == _CHECKPOINT else call.argument("device_map")
    if location is None and name != _CHECKPOINT:
        return made
    device = None if location is None or location.value == NONE else wanted(machine, location)
    if device is None or device.device == UNKNOWN:
        doubt(machine, module)  # a checkpoint is loaded to the device that was saved from
    else:
        place(machine, module, device.device, least_sure(device.confidence, Confidence.LIKELY))
    return made
