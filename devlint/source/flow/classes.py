"""What a constructor leaves behind: the attributes that the other methods of a class find."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from devlint.model import UNKNOWN, Certainty, Device, Registration, RegistrationKind, Symbol, SymbolKind
from devlint.source import ir
from devlint.source.flow.frame import Frame
from devlint.source.flow.lattice import join_all, map_devices
from devlint.source.flow.layers import is_module_class
from devlint.source.flow.modules import moves_state_in_forward, plain_container_of_modules, registered
from devlint.source.flow.operands import operand
from devlint.source.flow.places import fixed
from devlint.source.flow.values import (
    CONSTRUCTOR,
    PARAMETER_MAKERS,
    TOP,
    Alternatives,
    ClassInfo,
    Container,
    DeviceValue,
    Module,
    Tensor,
    Value,
)
from devlint.source.walk import Node, bound_names, path, walk


def builds_layers(info: ClassInfo, resolve: Callable[[str], str]) -> bool:
    """Whether the constructor makes layers of `torch.nn` or registers state."""
    constructor = info.methods.get(CONSTRUCTOR)
    if constructor is None:
        return False
    for node in walk(constructor.body):
        if isinstance(node, ir.Call):
            name = path(node.function)
            if name in {"self.register_buffer", "self.register_parameter"}:
                return True
            if name and is_module_class(resolve(name)):
                return True
    return False


def binding_methods(info: ClassInfo) -> list[ir.Function]:
    """The methods that set attributes: the constructor first."""
    binding = [
        function for name, function in info.methods.items() if name != CONSTRUCTOR and _binds_self(function)
    ]
    constructor = info.methods.get(CONSTRUCTOR)
    return [constructor, *binding] if constructor is not None else binding


def _binds_self(function: ir.Function) -> bool:
    for node in walk(function.body, into_scopes=True):
        if isinstance(node, ir.Assign):
            targets = node.targets
        elif isinstance(node, ir.For):
            targets = (node.target,)
        else:
            continue
        if any(name.startswith("self.") for name in bound_names(targets)):
            return True
    return False


def bound_by(frame: Frame) -> dict[str, Value]:
    """What a method has bound to attributes of `self`: the constructor at its end, others at any point.

    `self.x = nn.Parameter(self.x)` makes state of what was bound to the same name on the way to it.
    """
    if not frame.qualname.endswith(f".{CONSTRUCTOR}"):
        return {name: _parameter_or_any(values) for name, values in frame.assigned.items()}
    names = frame.environment.names
    return {
        name: names.get(f"self.{name}", join_all(values)) if not frame.environment.dead else join_all(values)
        for name, values in frame.assigned.items()
    }


def _parameter_or_any(values: Sequence[Value]) -> Value:
    last = values[-1]
    made = last.origin.last if isinstance(last, Tensor) else None
    return last if made is not None and made.operator in PARAMETER_MAKERS else join_all(list(values))


def settle(info: ClassInfo, bound: Sequence[dict[str, Value]]) -> None:
    """Work out what the methods of a class find in its attributes, from what each method binds."""
    renamed = _names_of_parameters(bound)
    by_hand = info.moves_itself()
    for name in dict.fromkeys(name for each in bound for name in each):
        values = [each[name] for each in bound if name in each]
        value = map_devices(_whichever(values), _renamer(renamed, name))
        is_settled = len(values) == 1 and name not in info.own_names
        kept = registered(_known_as(f"self.{name}" if is_settled else "", value), name, info)
        if by_hand and _stays_behind(kept):
            kept = TOP
        info.attributes[name] = fixed(kept, f"self.{name}")


def _known_as(name: str, value: Value) -> Value:
    """A value as other methods know it, to which what it was called where it was bound means nothing.

    Without a name, or inside a container, no expression gives its device.
    """
    match value:
        case Tensor():
            return replace(value, anchor=f"{name}.device" if name and not value.optional else "")
        case Alternatives(tensors=tensors):
            return Alternatives(tuple(replace(tensor, anchor="") for tensor in tensors))
        case Module():
            return replace(value, anchor="")
        case Container(items=items, element=element):
            held = items and tuple((key, _known_as("", item)) for key, item in items)
            return replace(value, element=_known_as("", element), items=held)
        case _:
            return value


def _stays_behind(kept: Value) -> bool:
    """Whether it is a tensor, or holds one, that `nn.Module` would not move."""
    held = [kept.element, *(item for _, item in kept.items or ())] if isinstance(kept, Container) else [kept]
    return any(isinstance(value, Tensor) and value.attribute for value in held)


def _whichever(values: Sequence[Value]) -> Value:
    """What an attribute holds that several methods set: which one came last cannot be told.

    On the CPU after one and on an accelerator after another is no choice that the machine decides.
    """
    joined = join_all(list(values))
    devices = {value.device for value in values if isinstance(value, Tensor | Module | DeviceValue)}
    if isinstance(joined, Tensor | Module | DeviceValue) and joined.device not in devices:
        return replace(joined, device=UNKNOWN)
    return joined


def _renamer(renamed: Mapping[Device, Symbol], name: str) -> Callable[[Device], Device]:
    """A parameter's device is, for the other methods, that of the attribute that keeps it."""

    def rename(device: Device) -> Device:
        if not isinstance(device, Symbol) or device.name.startswith("self"):
            return device
        return renamed.get(device, Symbol(f"self.{name}", device.kind))

    return rename


def _names_of_parameters(bound: Sequence[dict[str, Value]]) -> dict[Device, Symbol]:
    """The attribute that holds a device gives its name before one that holds a tensor on it."""
    renamed: dict[Device, Symbol] = {}
    for kind, type_ in ((SymbolKind.DEVICE, DeviceValue), (SymbolKind.TENSOR, Tensor)):
        for name, value in ((name, value) for each in bound for name, value in each.items()):
            if isinstance(value, type_) and isinstance(value.device, Symbol):
                renamed.setdefault(value.device, Symbol(f"self.{name}", kind))
    return renamed


def note_plain_containers(frame: Frame, info: ClassInfo) -> None:
    """Notes the attributes in which the constructor keeps modules where the module does not look for them."""
    for name, value in bound_by(frame).items():
        if info.is_module:
            _note_plain_container(frame, info, name, value)


_REGISTRARS = frozenset({"self.add_module", "self.register_module", "setattr", "self.__setattr__"})


def _registers(info: ClassInfo, name: str) -> bool:
    """Whether the constructor also gives the modules of a plain container to something that may register
    them: the container as a whole, or each as it is put in; or takes them from attributes of their own."""
    constructor = info.methods.get(CONSTRUCTOR)
    body = constructor.body if constructor is not None else ()
    if any(_lists_attributes(node, name) for node in walk(body)):
        return True
    given = {f"self.{name}", *_put_into(body, f"self.{name}")}
    for node in walk(body):
        if not isinstance(node, ir.Call) or path(node.function).startswith(f"self.{name}."):
            continue
        if path(node.function) in _REGISTRARS:
            return True
        for argument in node.arguments:
            inner = argument.value.value if isinstance(argument.value, ir.Starred) else argument.value
            if path(inner) in given:
                return True
    return False


def _lists_attributes(node: Node, name: str) -> bool:
    """Whether a statement is `self.name = [self.first, self.second]`."""
    match node:
        case ir.Assign(targets=targets, value=ir.Sequence(elements=elements)):
            of_self = [path(element).startswith("self.") for element in elements]
            return bool(of_self) and all(of_self) and any(path(t) == f"self.{name}" for t in targets)
        case _:
            return False


def _put_into(body: ir.Block, container: str) -> Iterator[str]:
    """The names of what is put into a container: `container[key] = layer`, `container.append(layer)`."""
    for node in walk(body):
        match node:
            case ir.Assign(targets=targets, value=ir.Name(name=name)) if any(
                isinstance(target, ir.Subscript) and path(target.value) == container for target in targets
            ):
                yield name
            case ir.Call(function=function, arguments=(ir.Argument(value=ir.Name(name=name)),)) if (
                path(function) == f"{container}.append"
            ):
                yield name


def _moves_itself(value: Value) -> bool:
    return isinstance(value, Module) and value.info is not None and moves_state_in_forward(value.info)


def _note_plain_container(frame: Frame, info: ClassInfo, name: str, value: Value) -> None:
    assignments = info.assignments.get(name)
    if not assignments or not plain_container_of_modules(value) or _registers(info, name):
        return
    if isinstance(value, Container) and _moves_itself(value.element):
        return
    statement = assignments[0].statement
    shown = operand(value, ir.Name(statement, f"self.{name}"))
    frame.emit(
        Registration(
            statement,
            None,
            Certainty.PROVEN,
            info.name,
            name,
            RegistrationKind.PLAIN_CONTAINER,
            shown,
            statement=statement,
        )
    )
