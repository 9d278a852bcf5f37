"""Methods that every `nn.Module` has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized

from devlint.model import CPU, UNKNOWN, Cause, Confidence, Synchronization, may_be_accelerator
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join_all, least_sure
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import as_parameter
from devlint.source.machine.domain.values import (
    BOOL,
    EMPTY_BUFFER,
    NONE,
    STRING,
    TOP,
    DeviceValue,
    Known,
    Reference,
    Tensor,
    Top,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import ELEMENT, Container, Instance, Mover
from devlint.source.machine.modules import hooks, parts, state
from devlint.source.machine.modules.assignment import add_part
from devlint.source.machine.modules.calls import call_layer
from devlint.source.machine.modules.causal_mask import CAUSAL_MASK, causal_mask
from devlint.source.machine.modules.construction import initialize, layer_name
from devlint.source.machine.modules.layers import UNKNOWN_MODULE
from devlint.source.machine.modules.registration import leave_behind, note_moved, take_parameters
from devlint.source.machine.operators import implicit
from devlint.source.machine.operators.move_targets import ACCELERATOR_METHODS, target_of

Handler = Callable[[Machine, Instance, Value, Call], Value]
_MOST = 8
"""The maximum number of kinds of modules among which one is any."""
_MOST_MODULES = 32
"""At most this many modules are kept separate when a program iterates over them."""


def call_module_method(
    machine: Machine, module: Instance, receiver: Value, name: str, call: Call
) -> Value | None:
    """`module.name(...)`; None if torch's modules have no such method."""
    if name in ("to", "cpu", "to_empty", "type", *ACCELERATOR_METHODS):
        return _move(machine, module, receiver, name, call)
    if name in _SAME:
        if name in ("train", "eval") and "training" in module.cells:
            machine.store.write(module, "training", BOOL)
        return receiver
    if name == "forward" or (name in _CALLS and module.of == UNKNOWN_MODULE):
        return call_layer(machine, module, receiver, call)
    if name == CAUSAL_MASK and layer_name(module) == "torch.nn.Transformer":
        return causal_mask(machine, call)
    if name in hooks.KEYS:
        return hooks.register(machine, module, name, call)
    handler = _HANDLERS.get(name)
    if handler is None:
        return None
    for each in state.modules(module):
        machine.read(each)
    return handler(machine, module, receiver, call)


_CALLS = frozenset({"generate", "update"})
"""Methods of models of transformers and of metrics that compute with the state, as `forward` does."""
_SAME = frozenset(
    {"train", "eval", "requires_grad_", "half", "float", "double", "bfloat16", "share_memory", "apply",
     "compile"}
)  # fmt: skip
"""A method that returns the module itself, on the same device."""


def _move(machine: Machine, module: Instance, receiver: Value, name: str, call: Call) -> Value:
    target = target_of(machine, "to" if name == "to_empty" else name, call)
    if target.place is not None:
        place = target.place
        if _may_be_dtype(call):
            place = DeviceValue(UNKNOWN) if place.device == UNKNOWN else place
        if place.device == CPU:
            _note_download(machine, module, name, call)
        state.move(machine, module, place, call.site, f"torch.nn.Module.{name}")
        leave_behind(machine, module, place.device, place.confidence)
        note_moved(machine, module)
    return receiver


def _note_download(machine: Machine, module: Instance, name: str, call: Call) -> None:
    """Record that the host waits for the parameters of a module that is moved to it."""
    stands = state.placement(module)
    if (
        stands is None
        or not may_be_accelerator(stands.device)
        or not isinstance(call.node, ir.CallExpression)
    ):
        return
    moved = call.node.function
    expression = moved.value if isinstance(moved, ir.Attribute) else moved
    shown = state.module_operand(module, Passed(NONE, expression, call.frame.site(expression)))
    confidence = least_sure(stands.confidence, machine.root_confidence)
    event = Synchronization(call.site, None, confidence, f"torch.nn.Module.{name}", Cause.HOST_COPY, shown)
    machine.note(event)
    machine.waits += 1


def _may_be_dtype(call: Call) -> bool:
    return isinstance(call.first, Input) and not call.passed[0].keyword


def _parameters(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    take_parameters(machine, module)
    return _listed(machine, _of_role(machine, module, "parameter"))


def _buffers(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    return _listed(machine, _of_role(machine, module, "buffer"))


def _of_role(machine: Machine, module: Instance, role: str) -> list[Value]:
    """The parameters or buffers of a module; at most one for each device, which stands for all others."""
    one = join_all(each for each in state.tensors(module) if each.role == role)
    found: list[Value] = []
    for each in alternatives(one):
        if isinstance(each, Tensor):
            serial = new_serial()
            machine.listed[serial] = module
            found.append(changed(each, serial=serial))
    return found


def _listed(machine: Machine, items: list[Value]) -> Value:
    if not items:
        return machine.adopt(Container("list", element=TOP))
    one = join_all(items)
    return machine.adopt(Container("list", [one], element=one))  # of so many at least


def _named(machine: Machine, items: list[Value]) -> Value:
    pair = machine.adopt(Container("tuple", [STRING, join_all(items)]))
    return machine.adopt(Container("list", [pair] if items else (), element=pair))


def _named_parameters(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    take_parameters(machine, module)
    return _named(machine, _of_role(machine, module, "parameter"))


def _named_buffers(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    return _named(machine, _of_role(machine, module, "buffer"))


def _state_dict(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    held = [changed(each, role="") for each in state.tensors(module)]
    made = Container("dict")
    if held:
        made.cells[ELEMENT] = join_all(held)
    return machine.adopt(made)


def _children(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    if parts.is_opaque(module):
        return machine.adopt(Container("list", element=parts.submodule(machine, module)))
    found = [child for _, child in state.children(module)]
    return _any_of(machine, module, [*map(Reference, found), *_others(machine, [module])])


def _modules(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    if parts.is_opaque(module):
        return _children(machine, module, receiver, call)
    found = state.modules(module)
    return _any_of(machine, module, [*map(Reference, found), *_others(machine, found)])


def _named_children(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    if parts.is_opaque(module):
        return _named(machine, [parts.submodule(machine, module)])
    found = [(_name(key), child) for key, child in state.children(module)]
    others = _others(machine, [module])
    return _paired(machine, module, [*_referenced(found), *((STRING, each) for each in others)])


def _named_modules(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    if parts.is_opaque(module):
        return _named(machine, [parts.submodule(machine, module)])
    found = list(_walked(module, Known(""), set()))
    others = _others(machine, [each for _, each in found])
    return _paired(machine, module, [*_referenced(found), *((STRING, each) for each in others)])


def _others(machine: Machine, modules: Iterable[Instance]) -> list[Value]:
    """Further submodules, one for all: those of a module whose source is not read, and attributes of which
    nothing is known."""
    found: dict[Value, None] = {}
    for each in modules:
        if parts.is_opaque(each):
            found[parts.submodule(machine, each)] = None
        elif any(isinstance(one, Top) for held in each.cells.values() for one in alternatives(held)):
            found[TOP] = None
    return list(found)


def _referenced(found: Iterable[tuple[Value, Instance]]) -> Iterator[tuple[Value, Value]]:
    for name, each in found:
        yield name, Reference(each)


def _walked(module: Instance, name: Value, seen: set[Instance]) -> Iterator[tuple[Value, Instance]]:
    """A module and its submodules, each once and with its name, in the order in which they are registered."""
    seen.add(module)
    yield name, module
    for key, child in state.children(module):
        if child not in seen:
            yield from _walked(child, _dotted(name, _name(key)), seen)


def _name(key: object) -> Value:
    """The name of a submodule; in a sequence, it is its position."""
    return Known(str(key)) if isinstance(key, (str, int)) and key != ELEMENT else STRING


def _dotted(outer: Value, name: Value) -> Value:
    match outer, name:
        case Known(value=""), Known():
            return name
        case Known(value=str(before)), Known(value=str(last)):
            return Known(f"{before}.{last}")
        case _:
            return STRING


def _paired(machine: Machine, module: Instance, found: list[tuple[Value, Value]]) -> Value:
    if not _are_told_apart(module, found):
        return _named(machine, [each for _, each in found[:_MOST]] or [TOP])
    return machine.adopt(Container("list", [machine.adopt(Container("tuple", each)) for each in found]))


def _any_of(machine: Machine, module: Instance, found: list[Value]) -> Value:
    if not _are_told_apart(module, found):
        return machine.adopt(Container("list", element=join_all(found[:_MOST] or [TOP])))
    return machine.adopt(Container("list", found))


def _are_told_apart(module: Instance, found: Sized) -> bool:
    """Whether a program that iterates over submodules meets each of these. A class of the project without any
    may get some in ways that are not followed."""
    return len(found) <= _MOST_MODULES if found else isinstance(module.of, str)


def _submodule(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    """`module.get_submodule("layers.0")`."""
    path = call.value("target", 0)
    if not isinstance(path, Known) or not isinstance(path.value, str):
        return TOP
    named = dict(_walked(module, Known(""), set()))
    return Reference(named[path]) if path in named else TOP


def _register_buffer(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    return _register(machine, module, call, "buffer", "tensor")


def _register_parameter(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    return _register(machine, module, call, "parameter", "param")


def _register(machine: Machine, module: Instance, call: Call, role: str, keyword: str) -> Value:
    name, held = call.value("name", 0), call.value(keyword, 1)
    key: object = name.value if isinstance(name, Known) else ELEMENT
    members = alternatives(TOP if held is None else held)
    machine.store.write(module, key, join_all(_registered(machine, each, role) for each in members))
    return NONE


def _registered(machine: Machine, held: Value, role: str) -> Value:
    if isinstance(held, Tensor):
        implicit.settled(machine, held)
        return changed(held, role=role, attribute="")
    if isinstance(held, Input):
        return Tensor(held.device, held.origin, role=role, confidence=Confidence.LIKELY)
    return EMPTY_BUFFER if held == NONE and role == "buffer" else held


def _add_module(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    name, held = call.value("name", 0), call.value("module", 1)
    key: object = name.value if isinstance(name, Known) else len(module.cells)
    part = TOP if held is None else parts.attribute_as_module(machine, held)
    add_part(machine, module, key, part)
    return NONE


def _append(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    for each in call.passed[-1:]:
        held = parts.attribute_as_module(machine, each.value)
        if isinstance(held, Tensor):
            held = as_parameter(held)
        add_part(machine, module, len(module.cells), held)
    return receiver


def _extend(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    for each in call.passed[:1]:
        for item in machine.elements(each.value, call.frame, call.node).items:
            add_part(machine, module, len(module.cells), parts.attribute_as_module(machine, item))
    return receiver


def _items(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    pairs: list[Value] = [
        machine.adopt(Container("tuple", [Known(str(name)), held])) for name, held in module.cells.items()
    ]
    return machine.adopt(Container("list", pairs))


def _values(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    return machine.adopt(Container("list", list(module.cells.values())))


def _keys(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    return machine.adopt(Container("list", [Known(str(name)) for name in module.cells]))


def _apply(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    """`super()._apply(function)`: the behavior of torch when a module is moved."""
    mover = call.first.target if isinstance(call.first, Reference) else None
    if isinstance(mover, Mover):
        state.carry_own(machine, module, mover)
    return receiver


def _nothing(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    return NONE


def _initialize(machine: Machine, module: Instance, receiver: Value, call: Call) -> Value:
    initialize(machine, module, call)
    return NONE


_HANDLERS: dict[str, Handler] = {
    "__init__": _initialize,
    "_apply": _apply,
    "parameters": _parameters,
    "buffers": _buffers,
    "named_parameters": _named_parameters,
    "named_buffers": _named_buffers,
    "state_dict": _state_dict,
    "children": _children,
    "modules": _modules,
    "get_submodule": _submodule,
    "named_children": _named_children,
    "named_modules": _named_modules,
    "register_buffer": _register_buffer,
    "register_parameter": _register_parameter,
    "add_module": _add_module,
    "register_module": _add_module,
    "append": _append,
    "insert": _append,
    "extend": _extend,
    "items": _items,
    "values": _values,
    "keys": _keys,
    "zero_grad": _nothing,
    "load_state_dict": _nothing,
    "extra_repr": _nothing,
}
