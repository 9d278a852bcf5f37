"""`with`: the effects of context managers on the default device and on names."""

from __future__ import annotations

from devlint.model import Concrete, Device
from devlint.source import ir
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.naming import device_named
from devlint.source.machine.domain.values import TOP, DeviceValue, Known, Method, Reference, Value
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.objects import GeneratorObject, Instance
from devlint.source.machine.library.expectations import expects_error
from devlint.source.machine.transfer.assignments import assign
from devlint.source.machine.transfer.ends import End
from devlint.source.machine.transfer.execution_context import in_context
from devlint.source.machine.transfer.interpreter import Interpreter


def run_with(machine: Interpreter, node: ir.With, frame: Frame) -> End:
    """Enter the context managers, execute the body, and leave them."""
    default, current = machine.default_device, machine.current_device
    entered: list[tuple[Value, ir.Expression]] = []
    for expression, target in node.items:
        manager = machine.evaluate(expression, frame)
        held = _enter(machine, manager, expression, frame)
        entered.append((manager, expression))
        if target is not None:
            assign(machine, target, held, frame)
    expected = any(expects_error(manager) for manager, _ in entered)
    with in_context(machine, expected=expected):
        end = machine.run_block(node.body, frame)
    for manager, expression in reversed(entered):
        own = machine.method_of(manager, "__exit__")
        if own is not None:
            nothing = [Passed(TOP, expression, frame.site(expression)) for _ in range(3)]
            machine.call(own, Call(nothing, frame, expression))
    machine.default_device, machine.current_device = default, current
    return End.NEXT if expected and end is End.RAISE else end


def _enter(machine: Interpreter, manager: Value, expression: ir.Expression, frame: Frame) -> Value:
    match manager:
        case DeviceValue(device=device):
            machine.default_device = device
            return manager
        case Reference(target=GeneratorObject()):
            return join_all(machine.elements(manager, frame, expression).items)
        case Reference(target=Instance(of="torch.cuda.device") as instance):
            _set_current(machine, instance.arguments.get("device", TOP))
            return manager
        case Reference(target=Instance(of="torch.device") as instance):
            machine.default_device = _device(instance.arguments.get("device", TOP), machine.default_device)
            return manager
        case Reference():
            own = machine.method_of(manager, "__enter__")
            return manager if own is None else machine.call(own, Call([], frame, expression))
        case Method():
            return TOP
        case _:
            return TOP


def _set_current(machine: Interpreter, held: Value) -> None:
    device = device_named(held)
    if device is not None and isinstance(device.device, Concrete):
        machine.current_device = device.device.index
    elif isinstance(held, Known):
        return


def _device(held: Value, default: Device) -> Device:
    found = device_named(held)
    return default if found is None else found.device
