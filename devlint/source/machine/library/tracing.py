"""Functions that run a module on examples to record its operations."""

from __future__ import annotations

from devlint.source.machine.domain.values import TOP, Reference, Value
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.library.handlers import Handler

_EXAMPLES = ("", "args", "example_inputs")
"""The names of the parameters that receive the examples; the empty name is for a position."""


def _traced(machine: Machine, call: Call) -> Value:
    """`torch.export.export(module, (x, y))`: calls the module with the examples, on their devices."""
    if not call.passed:
        return TOP
    examples = next((each for each in call.passed[1:] if each.keyword in _EXAMPLES), None)
    if examples is not None:
        machine.call(call.first, call.passing(_spread(examples)))
    return call.first


def _exported(machine: Machine, call: Call) -> Value:
    """`torch.onnx.export(module, x, file)`, which also reads the parameters to write them to the file."""
    traced = _traced(machine, call)
    machine.waits += 1
    return traced


def _spread(examples: Passed) -> list[Passed]:
    held = examples.value
    plain = examples._replace(keyword="")
    if isinstance(held, Reference) and isinstance(held.target, Container) and held.target.kind == "tuple":
        return [plain._replace(value=each) for each in held.target.items]
    return [plain]


TRACERS: dict[str, Handler] = {
    "torch.jit.trace": _traced,
    "torch.export.export": _traced,
    "torch.onnx.export": _exported,
}
"""The functions, by name."""
