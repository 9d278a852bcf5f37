"""Devices that a function receives or asks for without using them for any value.

This depends only on whether a name is used, so the source is examined, not the run.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.model import SettingKind, SiteId
from devlint.source import ir
from devlint.source.machine.domain.values import DeviceValue, External
from devlint.source.machine.heap.files import Class, File, Function
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.machine import Machine
from devlint.source.walk import Node, path, walk

_DEVICE = External("torch.device")
_ASK = frozenset({"isinstance", "hasattr", "callable", "type"})
_TAKE_ALL = frozenset({"locals", "vars"})
_WITHOUT_DEVICES = frozenset(
    {"torch.nn.Module", "builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"}
)
"""Bases none of whose methods takes a device."""


def note_idle_devices(machine: Machine, file: File) -> None:
    """Record the unused devices of a file's functions."""
    if not machine.asks_for(SettingKind.IDLE_DEVICE):
        return
    for function in file.functions:
        node = function.node
        if isinstance(node, ir.FunctionDef):
            nodes = list(walk(node.body, into_scopes=True))
            if not any(
                isinstance(each, ir.CallExpression) and path(each.function) in _TAKE_ALL for each in nodes
            ):
                _note_parameters(machine, function, node, nodes)
                _note_names(machine, function, node, nodes)


def _note_parameters(machine: Machine, function: Function, node: ir.FunctionDef, nodes: list[Node]) -> None:
    """Record the device parameters that are only tested, or only passed to the function itself."""
    if _is_for_others(function, node) or not _does_something(nodes):
        return
    for each in node.parameters:
        if not each.stars and _is_device(machine, function, each) and not _is_used(node, nodes, each.name):
            _note(machine, function, each.id, each.name, node.name)


def _is_device(machine: Machine, function: Function, parameter: ir.Parameter) -> bool:
    """Whether a parameter is a device, by its annotation or its default."""
    if isinstance(function.defaults.get(parameter.name), DeviceValue):
        return True
    annotation = parameter.annotation
    if annotation is None or not path(annotation) or isinstance(annotation, ir.Constant):
        return False
    frame = Frame(function.file, function.file.scope)
    return machine.evaluate(annotation, frame) == _DEVICE


def _is_for_others(function: Function, node: ir.FunctionDef) -> bool:
    """Whether a function's signature is determined elsewhere: by a base whose method it may override, or by a
    decorator."""
    if node.decorators:
        return True
    owner = function.owner
    if owner is None:
        return False
    bases = owner.order[1:]
    if any(isinstance(each, Class) and node.name in each.cells for each in bases):
        return True
    return not _WITHOUT_DEVICES.issuperset(owner.externals)


def _does_something(nodes: list[Node]) -> bool:
    """Whether a function calls anything. One that does not is left for others to implement."""
    return any(isinstance(each, ir.CallExpression) and path(each.function) not in _ASK for each in nodes)


def _is_used(node: ir.FunctionDef, nodes: list[Node], name: str) -> bool:
    """Whether a function does more with a device than testing it or passing it to itself."""
    idle = {id(each) for one in nodes for each in _asked(one, node.name, name)}
    return any(_is_named(each, name) and id(each) not in idle for each in nodes)


def _asked(node: Node, own: str, name: str) -> Iterator[Node]:
    """The uses that do not count: binding a device, giving it a default, passing it to the function itself,
    the text of an error."""
    match node:
        case ir.Assign(targets=targets, value=value):
            yield from targets
            if any(_is_named(target, name) for target in targets):
                yield from walk([value])
        case ir.Raise():
            yield from walk([node])
        case ir.If(test=ir.Compare(left=left, rest=((("is" | "is_not"), _),))):
            yield left
        case ir.CallExpression(function=function, arguments=arguments):
            if path(function) in _ASK or path(function) in (own, f"self.{own}", f"cls.{own}"):
                yield from (argument.value for argument in arguments)


def _note_names(machine: Machine, function: Function, node: ir.FunctionDef, nodes: list[Node]) -> None:
    """Record the names to which a function assigns devices and that it never reads."""
    candidates: dict[str, ir.Name] = {}
    bound: set[int] = set()
    for each in nodes:
        if isinstance(each, ir.Assign):
            bound.update(map(id, each.targets))
            match each.targets:
                case (ir.Name(name=name) as target,) if _gives_device(each.value):
                    candidates.setdefault(name, target)
    if not candidates:
        return
    met = {each.name for each in node.parameters}
    for each in nodes:
        if isinstance(each, ir.Outer):
            met.update(each.names)
        elif isinstance(each, ir.Name) and id(each) not in bound:
            met.add(each.name)
    for name, target in candidates.items():
        if name not in met:
            _note(machine, function, target.id, name)


def _gives_device(value: ir.Expression) -> bool:
    """An expression of a device: `x.device`, `torch.device("cuda")`, or a choice of such expressions."""
    match value:
        case ir.Attribute(name="device"):
            return True
        case ir.CallExpression(function=function):
            return path(function) == "torch.device"
        case ir.Conditional(then=then, orelse=orelse):
            return _gives_device(then) or _gives_device(orelse)
        case _:
            return False


def _is_named(node: Node, name: str) -> bool:
    return isinstance(node, ir.Name) and node.name == name


def _note(machine: Machine, function: Function, node: SiteId, name: str, own: str = "") -> None:
    machine.setting(SettingKind.IDLE_DEVICE, SiteId(function.file.base + node), name, own)
