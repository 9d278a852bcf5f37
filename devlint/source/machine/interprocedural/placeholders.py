"""Global names and class attributes that a function sets, with an initial placeholder: `DEVICE = None`.

A function that nothing in the project calls may be called after such a function, so the initial value says
little.
"""

from __future__ import annotations

from devlint.model import Concrete
from devlint.source import ir
from devlint.source.machine.domain.values import TOP, DeviceValue, Known, Value
from devlint.source.machine.heap.files import File
from devlint.source.machine.heap.machine import Machine
from devlint.source.walk import once_a_node, text, walk


def doubt_names(machine: Machine, file: File) -> None:
    """Before a hypothesis: forget the values that functions of the file may have replaced by then."""
    for name in file.set_by_functions:
        if _may_be_placeholder(file.scope.cells.get(name)):
            machine.store.write(file.scope, name, TOP)
    for each in file.classes:
        for name in _set_by_class_methods(each.node):
            if _may_be_placeholder(each.cells.get(name)):
                machine.store.write(each, name, TOP)


@once_a_node
def _set_by_class_methods(made: ir.ClassDef) -> tuple[str, ...]:
    """The attributes of a class that its own methods set on the class: `cls.device = device`."""
    methods = [each for each in made.body if isinstance(each, ir.FunctionDef)]
    return tuple(
        target.name
        for method in methods
        for node in walk(method.body)
        if isinstance(node, ir.Assign)
        for target in node.targets
        if isinstance(target, ir.Attribute) and text(target.value) in _names_of_class(made, method)
    )


def _names_of_class(made: ir.ClassDef, method: ir.FunctionDef) -> tuple[str, ...]:
    """The expressions by which a method refers to its class."""
    of_class = any(isinstance(each, ir.Name) and each.name == "classmethod" for each in method.decorators)
    return (made.name, *(each.name for each in method.parameters[:1] if of_class))


def _may_be_placeholder(held: Value | None) -> bool:
    """Whether a name's value may be a placeholder: None, a string, or a device."""
    match held:
        case Known(value=None | str()):
            return True
        case DeviceValue(device=Concrete()):
            return True
        case _:
            return False
