"""Deletions: `del name`, `del owner.name`, `del owner[index]`."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import External, Known, Reference, Value
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.library import container_methods, environment
from devlint.source.machine.modules.state import module_of
from devlint.source.machine.transfer.attributes import REGISTRIES
from devlint.source.machine.transfer.ends import End
from devlint.source.machine.transfer.interpreter import Interpreter


def run_delete(machine: Interpreter, node: ir.Delete, frame: Frame) -> End:
    """`del target`."""
    for target in node.targets:
        if isinstance(target, ir.Name):
            machine.store.write(frame.scope.home(target.name), target.name, None)
        elif isinstance(target, ir.Attribute):
            owner = machine.evaluate(target.value, frame)
            if isinstance(owner, Reference):
                machine.store.write(owner.target, target.name, None)
        elif isinstance(target, ir.Subscript) and len(target.indices) == 1:
            _delete_element(machine, target, frame)
    return End.NEXT


def _delete_element(machine: Interpreter, target: ir.Subscript, frame: Frame) -> None:
    """`del owner[index]`."""
    owner = machine.evaluate(target.value, frame)
    (index,) = target.indices
    passed = Passed(machine.evaluate(index, frame), index, frame.site(index))
    own = machine.method_of(owner, "__delitem__")
    if own is not None:
        machine.call(own, Call([passed], frame, target))
    elif isinstance(target.value, ir.Attribute) and target.value.name in REGISTRIES:
        _unregister(machine, machine.evaluate(target.value.value, frame), passed.value)
    elif isinstance(owner, Reference) and isinstance(owner.target, Container):
        container_methods.remove(machine, owner.target, passed.value)
    elif owner == External(environment.ENVIRONMENT):
        environment.unset(machine, passed.value)


def _unregister(machine: Interpreter, owner: Value, name: Value) -> None:
    """`del self._parameters[name]`: the module has nothing of that name any more."""
    module = module_of(owner)
    if module is not None and isinstance(name, Known):
        machine.store.write(module, name.value, None)
