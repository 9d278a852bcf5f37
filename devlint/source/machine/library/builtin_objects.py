"""Built-in functions for the classes and attributes of objects."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import (
    BOOL,
    DTYPE,
    FALSE,
    NONE,
    TOP,
    TRUE,
    Array,
    External,
    Known,
    Method,
    Reference,
    Scalar,
    Tensor,
    Union,
    Value,
    alternatives,
)
from devlint.source.machine.heap.classes import class_of
from devlint.source.machine.heap.files import Class, Function, Scope
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import MARKER, BoundMethod, Container, Instance, ModuleFile, Super
from devlint.source.machine.library.container_methods import doubt
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.library.members import all_say, has_attribute
from devlint.source.machine.modules import state


def _isinstance(machine: Machine, call: Call) -> Value:
    if len(call.passed) != 2:
        return BOOL
    answer = machine.is_instance(*call.values)
    return BOOL if answer is None else Known(answer)


def _hasattr(machine: Machine, call: Call) -> Value:
    match call.values:
        case [held, Known(value=str(name))]:
            return all_say(held, lambda each: has_attribute(each, name))
        case _:
            return BOOL


def _getattr(machine: Machine, call: Call) -> Value:
    match call.values:
        case [held, Known(value=str(name)), *default]:
            found = machine.attribute(held, name, call.frame, call.node)
            lacks = isinstance(found, Method) and not isinstance(found.receiver, Tensor)
            return default[0] if default and lacks else found
        case [External(name="torch"), _, *_]:
            return DTYPE  # or a function; it names no device
        case [Reference(target=Instance()) as held, Scalar(type="str", text=start), *_] if start:
            return _methods_named(machine, held, start, call)
        case _:
            return TOP


def _methods_named(machine: Machine, held: Reference, start: str, call: Call) -> Value:
    """`getattr(self, f"by_{kind}")`: one of the methods whose names begin so, if it is no other attribute."""
    instance = held.target
    if not isinstance(instance, Instance) or not isinstance(instance.of, Class):
        return TOP
    homes = [each for each in instance.of.order if isinstance(each, Class)]
    found = {name: each for home in reversed(homes) for name, each in home.cells.items()}
    names = [name for name in (*found, *instance.cells) if isinstance(name, str) and name.startswith(start)]
    are_methods = all(name in found and _is_function(found[name]) for name in names)
    if not names or not are_methods:
        return TOP
    return join_all(machine.attribute(held, name, call.frame, call.node) for name in names)


def _is_function(held: Value) -> bool:
    return isinstance(held, Reference) and isinstance(held.target, Function)


def _setattr(machine: Machine, call: Call) -> Value:
    match call.values:
        case [held, Known(value=str(name)), new_value]:
            machine.set_attribute(held, name, new_value, call.frame, call.passed[2].expression)
        case [Reference(target=Instance() as instance), name, new_value]:
            _set_some(machine, instance, name, new_value)
        case _:
            pass
    return NONE


def _set_some(machine: Machine, instance: Instance, name: Value, new_value: Value) -> None:
    """Set an attribute whose name is one of several, or unknown. Modules are registered under a new name; a
    tensor may have replaced another one."""
    if not state.is_module(instance):
        if isinstance(name, Union):
            doubt(machine, instance, name, new_value)
        return
    if any(map(state.module_of, alternatives(new_value))):
        machine.store.write(instance, len(instance.cells), new_value)
    else:
        doubt(machine, instance, name, new_value)


def _super(machine: Machine, call: Call) -> Value:
    match call.values:
        case [Reference(target=Class() as owner), receiver]:
            return machine.adopt(Super(owner, receiver))
        case _:
            pass
    function = call.frame.function
    if function is None or function.owner is None or not function.node.parameters:
        return TOP
    first = call.frame.scope.look_up(function.node.parameters[0].name)
    return machine.adopt(Super(function.owner, TOP if first is None else first))


def _type(machine: Machine, call: Call) -> Value:
    held = call.first
    if isinstance(held, Reference) and isinstance(held.target, Instance):
        return class_of(held.target)
    if isinstance(held, Reference) and isinstance(held.target, Container):
        return External(f"builtins.{held.target.kind}")
    return External("builtins.NoneType") if held == NONE else TOP


def _instantiate(machine: Machine, call: Call) -> Value:
    """`type.__call__(cls, ...)`: the part of object creation that a metaclass leaves to Python."""
    return machine.instantiate(call.first, call.passing(call.passed[1:])) if call.passed else TOP


def _eval(machine: Machine, call: Call) -> Value:
    """`eval("name")`, also with attributes, in the calling scope. Other expressions are not parsed."""
    if isinstance(call.first, Scalar) and call.first.text:
        return _of_known_beginning(machine, call, call.first.text)
    text = call.first.value if len(call.passed) == 1 and isinstance(call.first, Known) else None
    parts = text.strip().split(".") if isinstance(text, str) else []
    if not parts or not all(map(str.isidentifier, parts)):
        return TOP
    found = machine.evaluate(ir.Name(call.node.id, parts[0]), call.frame)
    for name in parts[1:]:
        found = machine.attribute(found, name, call.frame, call.node)
    return found


def _of_known_beginning(machine: Machine, call: Call, text: str) -> Value:
    """`eval("torch.uint" + str(bits))`: an attribute of torch, of which the beginning is known."""
    name, dot, _ = text.partition(".")
    if not dot or not name.isidentifier():
        return TOP
    owner = machine.evaluate(ir.Name(call.node.id, name), call.frame)
    return DTYPE if owner == External("torch") else TOP  # as for `getattr(torch, name)`


def _vars(machine: Machine, call: Call) -> Value:
    """`vars(held)`, equal to `held.__dict__`."""
    match call.first:
        case Input() | Reference(target=Instance() | ModuleFile()) as held:
            return machine.attribute(held, "__dict__", call.frame, call.node)
        case _:
            return TOP


def _globals(machine: Machine, call: Call) -> Value:
    """`globals()`."""
    return machine.adopt(names_of(call.frame.file.scope))


def names_of(scope: Scope, *, all_known: bool = False) -> Container:
    """The names of a file, as far as they are bound, each of which a program may look up by its text."""
    made = Container("dict", element=None if all_known else TOP)
    if all_known:
        made.cells.update(dict.fromkeys(_OF_EACH_FILE, TOP))
    made.cells.update(scope.cells)
    return made


_OF_EACH_FILE = ("__builtins__", "__doc__", "__file__", "__loader__", "__name__", "__package__", "__spec__")
"""Names that Python binds in each file."""


def _callable(machine: Machine, call: Call) -> Value:
    held = call.first
    if isinstance(held, Reference):
        return TRUE if isinstance(held.target, (Function, BoundMethod, Class)) else BOOL
    return FALSE if isinstance(held, (Known, Scalar, Tensor, Array)) else BOOL


def _object(machine: Machine, call: Call) -> Value:
    """`object()`, which differs from everything else."""
    return machine.adopt(Instance(MARKER, call.site))


OBJECTS: dict[str, Handler] = {
    "object": _object,
    "isinstance": _isinstance,
    "hasattr": _hasattr,
    "getattr": _getattr,
    "setattr": _setattr,
    "super": _super,
    "type": _type,
    "type.__call__": _instantiate,
    "callable": _callable,
    "eval": _eval,
    "globals": _globals,
    "vars": _vars,
}
"""The functions, by their names in Python."""
