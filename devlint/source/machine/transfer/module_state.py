"""Tests of the device of a module's parameters: `next(model.parameters()).is_cuda`.

If a path has moved a module, its contents depend on the path. Its tensors were moved together, so the outcome
of such a test narrows all of them.
"""

from __future__ import annotations

from devlint.model import Device
from devlint.source import ir
from devlint.source.machine.domain.values import Tensor, Union, Value
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.modules.state import REGISTERED, module_of, modules
from devlint.source.machine.transfer.cells import Narrowing
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import once_a_node, walk

_STATE = frozenset({"parameters", "buffers"})


def narrow_modules(
    machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool
) -> list[Narrowing]:
    """Narrow a module whose parameters a test reads to the one device for which the test has the outcome."""
    asked = _asked(test)
    if asked is None:
        return []
    module = module_of(machine.evaluate(asked, frame))
    several = [] if module is None else _several(module)
    fitting: list[list[Narrowing]] = []
    for device in {each.device: None for *_, held in several for each in _tensors(held)}:
        found: list[Narrowing] = [(owner, name, held, _on(held, device)) for owner, name, held in several]
        machine.store.begin()
        for target, key, _, after in found:
            machine.store.write(target, key, after)
        outcome = machine.truth(machine.evaluate(test, frame))
        machine.store.end()
        if outcome is not (not taken):
            fitting.append(found)
    if len(fitting) != 1:
        return []
    for target, key, _, after in fitting[0]:
        machine.store.write(target, key, after)
    return fitting[0]


@once_a_node
def _asked(test: ir.Expression) -> ir.Expression | None:
    """The module whose parameters a test reads, if it calls nothing else."""
    match test:
        case ir.Attribute() | ir.Compare() | ir.CallExpression(function=ir.Name(name="any" | "all")):
            found = [
                each.function.value
                for each in walk((test,))
                if isinstance(each, ir.CallExpression)
                and isinstance(each.function, ir.Attribute)
                and each.function.name in _STATE
            ]
            return found[0] if len(found) == 1 else None
        case _:
            return None


def _several(module: Instance) -> list[tuple[Instance, object, Union]]:
    """The parameters and buffers that are on one of several devices."""
    return [
        (each, key, held)
        for each in modules(module)
        for key, held in each.cells.items()
        if isinstance(held, Union) and len({one.device for one in _tensors(held)}) > 1
    ]


def _tensors(held: Union) -> list[Tensor]:
    return [each for each in held.alternatives if isinstance(each, Tensor) and each.role in REGISTERED]


def _on(held: Union, device: Device) -> Value:
    """The alternatives that are possible if the tensor is on a device."""
    kept = tuple(each for each in held.alternatives if not isinstance(each, Tensor) or each.device == device)
    return kept[0] if len(kept) == 1 else Union(kept) if kept else held
