"""Modules that a class keeps in lists and dicts, where `nn.Module` does not look for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from devlint.model import Certainty, Registration, RegistrationKind, Step
from devlint.source import ir
from devlint.source.flow.modules.classes import GROWING, bound_by
from devlint.source.flow.modules.forwards import moves_state_in_forward
from devlint.source.flow.modules.modules import plain_container_of_modules
from devlint.source.flow.operators.operands import operand
from devlint.source.flow.state.class_info import CONSTRUCTOR, ClassInfo
from devlint.source.flow.state.frame import Frame
from devlint.source.flow.state.values import Container, Module, Value
from devlint.source.walk import Node, bound_names, path, walk


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


def _reaches_it(info: ClassInfo, name: str) -> bool:
    """Whether the class itself moves what it keeps there, or itself says what its state is."""
    own = [each.methods[asked] for each in info.lineage() for asked in _STATE if asked in each.methods]
    parts = (node for node in walk(own, into_scopes=True) if isinstance(node, ir.Attribute))
    return (info.moves_itself() and info.may_move(name)) or any(
        path(part) == f"self.{name}" for part in parts
    )


_STATE = ("parameters", "named_parameters", "buffers", "named_buffers", "state_dict", "children", "modules")


def _is_exchanged(info: ClassInfo, name: str) -> bool:
    """Whether the class puts others in their places, as it does when it moves them by hand:
    `self.layers[0] = layer.to(x.device)`."""
    functions = [f for each in info.lineage() for f in each.methods.values() if f.name != CONSTRUCTOR]
    assigned = (node for function in functions for node in walk(function.body) if isinstance(node, ir.Assign))
    targets = (target for node in assigned for target in node.targets)
    return any(
        isinstance(target, ir.Subscript) and path(target.value) == f"self.{name}" for target in targets
    )


def _members(value: Value) -> list[Module]:
    if not isinstance(value, Container):
        return []
    members = [value.element, *(item for _, item in value.items or ())]
    return [member for member in members if isinstance(member, Module)]


def _is_hidden(value: Value) -> bool:
    """Whether a module that came in from outside was put into a list: so it is kept from being registered."""
    firsts = [member.origin.first for member in _members(value)]
    return any(first is not None and first.step is Step.PARAMETER for first in firsts)


def _serves_constructor(info: ClassInfo, name: str) -> bool:
    """Whether the constructor alone uses what it keeps."""
    methods = [method for each in info.lineage() for method in each.methods.values()]
    return {method.name for method in methods if _uses(method, f"self.{name}")} == {CONSTRUCTOR}


def _uses(method: ir.Function, name: str) -> bool:
    nodes = list(walk(method.body, into_scopes=True))
    stored = [target for node in nodes if isinstance(node, ir.Assign) for target in node.targets]
    return any(_reads(node, name) and node not in stored for node in nodes)


def _reads(node: Node, name: str) -> bool:
    """Whether a node asks something of what a name holds, walks over it, or passes it on."""
    match node:
        case ir.Attribute(value=value, name=asked):
            return path(value) == name and asked not in GROWING
        case ir.Subscript(value=value):
            return path(value) == name
        case ir.For(iterable=value) | ir.Loop(iterable=value):
            return path(value) == name
        case ir.Call(arguments=arguments):
            return any(path(argument.value) == name for argument in arguments)
        case _:
            return False


def _came_in(value: Value) -> bool:
    """Whether all that shows what a list holds is the annotation with which it came in."""
    return all(member.origin.first is None for member in _members(value))


def _is_handed_on(info: ClassInfo, name: str) -> bool:
    """Whether a constructor keeps a list that it has to be given. Who made the modules may have registered
    them, and a slice of a `ModuleList` be called a list."""
    constructor = info.methods.get(CONSTRUCTOR)
    if constructor is None:
        return False
    required = {each.name for each in constructor.parameters if each.default is None}
    return any(
        isinstance(node, ir.Assign)
        and isinstance(node.value, ir.Name)
        and node.value.name in required
        and any(path(target) == f"self.{name}" for target in node.targets)
        for node in walk(constructor.body)
    )


def _runs_members(info: ClassInfo, name: str) -> bool:
    """Whether the class walks over what it keeps and uses it as objects."""
    functions = [function for each in info.lineage() for function in each.methods.values()]
    for target, iterable, inner in _loops(functions):
        drawn = set(bound_names([target]))
        parts = (part for part in walk([iterable]) if isinstance(part, ir.Attribute))
        walked = any(path(part) == f"self.{name}" for part in parts)
        if walked and any(_is_used(part, drawn) for part in walk(inner)):
            return True
    return False


def _loops(
    functions: Sequence[ir.Function],
) -> Iterator[tuple[ir.Expression, ir.Expression, Sequence[Node]]]:
    for node in walk(functions, into_scopes=True):
        if isinstance(node, ir.For):
            yield node.target, node.iterable, node.body
        elif isinstance(node, ir.Comprehension):
            for loop in node.loops:
                yield loop.target, loop.iterable, (node.element,)


def _is_used(node: Node, names: set[str]) -> bool:
    """Whether one of the names is called or asked for an attribute."""
    match node:
        case ir.Call(function=ir.Name(name=name)) | ir.Attribute(value=ir.Name(name=name)):
            return name in names
        case _:
            return False


def _note_plain_container(frame: Frame, info: ClassInfo, name: str, value: Value) -> None:
    assignments = info.assignments.get(name)
    if not assignments or not plain_container_of_modules(value) or _registers(info, name):
        return
    if isinstance(value, Container) and _moves_itself(value.element):
        return
    if (
        _is_hidden(value)
        or _is_exchanged(info, name)
        or _reaches_it(info, name)
        or _serves_constructor(info, name)
        or (_came_in(value) and (_is_handed_on(info, name) or not _runs_members(info, name)))
    ):
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
