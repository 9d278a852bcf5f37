"""Objects of classes that are not read, and what such classes most likely do."""

from __future__ import annotations

from devlint.model import UNKNOWN
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.values import TOP, Tensor, Value, changed
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.modules.state import PARAMETERS, module_of, parameters_of_unknown
from devlint.source.machine.operators.move_targets import target_of


def wrapped(target: Instance) -> Value | None:
    """The one module that an object of a class that is not read was made of, most likely as its first
    argument: its parameters are this module's, or copies of them."""
    is_read = not isinstance(target.of, str) or target.of.startswith("torch.")
    given = None if is_read or PARAMETERS in target.cells else target.arguments.get("0")
    return given if given is not None and module_of(given) is not None else None


def moved(machine: Machine, target: Instance, receiver: Value, name: str, call: Call) -> Value:
    """What is moved of a class that is not read: most likely a module, if the program calls it. Whether this
    moves the tensors that the program has set as attributes, or given as arguments, depends on the class."""
    place = target_of(machine, name, call).place
    if place is not None:
        machine.read(target)
        for key, held in [*target.arguments.items(), *target.cells.items()]:
            if isinstance(held, (Tensor, Input)) and held.device != place.device:
                machine.store.write(target, key, _on_either(held))
        parameters = parameters_of_unknown(place, call.site, f"torch.nn.Module.{name}")
        machine.store.write(target, PARAMETERS, parameters)
    return receiver


def _on_either(held: Tensor | Input) -> Value:
    """A tensor that has been moved or not."""
    return changed(held, device=UNKNOWN) if isinstance(held, Tensor) else TOP
