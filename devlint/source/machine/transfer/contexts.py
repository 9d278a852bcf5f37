"""`with`: the effects of context managers on the default device and on names."""

from __future__ import annotations

from devlint.model import Concrete, Device
from devlint.source import ir
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.naming import device_named
from devlint.source.machine.domain.values import TOP, DeviceValue, Known, Method, Reference, Value
from devlint.source.machine.heap.defaults import default_device, set_default_device
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.objects import GeneratorObject, Instance
from devlint.source.machine.heap.process import DEFAULT_DEVICE
from devlint.source.machine.library.expectations import expects_error, suppresses_error
from devlint.source.machine.transfer.assignments import assign
from devlint.source.machine.transfer.ends import End
from devlint.source.machine.transfer.execution_context import in_context
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import once_a_node, walk

_MOST_YIELDS = 2
"""The most `yield`s of a generator at which the body of a `with` is executed."""


def run_with(machine: Interpreter, node: ir.With, frame: Frame) -> End:
    """Enter the context managers, execute the body, and leave them."""
    return _within(machine, node, 0, frame)


def _within(machine: Interpreter, node: ir.With, at: int, frame: Frame) -> End:
    """Execute the body of a `with` within its context managers from a position on."""
    if at == len(node.items):
        return machine.run_block(node.body, frame)
    default, current = machine.process.cells[DEFAULT_DEVICE], machine.current_device
    expression, target = node.items[at]
    manager = machine.evaluate(expression, frame)
    expected, suppressed = expects_error(manager), suppresses_error(manager)
    ends: list[End] = []

    def go_on(held: Value) -> None:
        if target is not None:
            assign(machine, target, held, frame)
        machine.optional += suppressed
        with in_context(machine, expected=expected):
            ends.append(_within(machine, node, at + 1, frame))
        machine.optional -= suppressed

    suspended = _suspended(manager)
    if suspended is None or not machine.run_around(suspended, frame.site(expression), go_on):
        go_on(_enter(machine, manager, expression, frame))
        _leave(machine, manager, expression, frame)
    elif not ends:
        go_on(TOP)
    if machine.process.cells[DEFAULT_DEVICE] != default:  # a call that writes nothing is not executed again
        machine.store.write(machine.process, DEFAULT_DEVICE, default)
    machine.current_device = current
    end = End.NEXT if End.NEXT in ends else ends[0]
    return End.NEXT if (expected or suppressed) and end is End.RAISE else end


def _suspended(manager: Value) -> GeneratorObject | None:
    """The generator that is a context manager, if it can be suspended while the body is executed."""
    held = manager.target if isinstance(manager, Reference) else None
    if not isinstance(held, GeneratorObject) or not isinstance(held.function.node, ir.FunctionDef):
        return None
    return held if _yields_few_times(held.function.node) else None


@once_a_node
def _yields_few_times(function: ir.FunctionDef) -> bool:
    nodes = list(walk(function.body))
    loops = [each for each in nodes if isinstance(each, ir.For | ir.While)]
    yields = sum(isinstance(each, ir.Yield) for each in nodes)
    return yields <= _MOST_YIELDS and not any(isinstance(each, ir.Yield) for each in walk(loops))


def _leave(machine: Interpreter, manager: Value, expression: ir.Expression, frame: Frame) -> None:
    own = machine.method_of(manager, "__exit__")
    if own is not None:
        nothing = [Passed(TOP, expression, frame.site(expression)) for _ in range(3)]
        machine.call(own, Call(nothing, frame, expression))


def _enter(machine: Interpreter, manager: Value, expression: ir.Expression, frame: Frame) -> Value:
    match manager:
        case DeviceValue(device=device):
            set_default_device(machine, device)
            return manager
        case Reference(target=GeneratorObject()):
            return join_all(machine.elements(manager, frame, expression).items)
        case Reference(target=Instance(of="torch.cuda.device") as instance):
            _set_current(machine, instance.arguments.get("device", TOP))
            return manager
        case Reference(target=Instance(of="torch.device") as instance):
            device = _device(instance.arguments.get("device", TOP), default_device(machine))
            set_default_device(machine, device)
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
