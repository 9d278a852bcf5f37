"""Devices that a function is given, or asks for, and puts nothing on.

Only the text is asked: what matters is whether a name is used at all, wherever it leads.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.model import Certainty, Kind, Setting, SettingKind, SiteId
from devlint.source import ir
from devlint.source.flow.state.frame import Frame
from devlint.source.flow.syntax.movers import UPLOADERS
from devlint.source.walk import Node, path, walk

_WITHOUT_DEVICES = frozenset({"torch.nn.Module", "object", "abc.ABC", "typing.Generic", "typing.Protocol"})
"""Bases that ask for no device in a method of theirs, but for those above."""
_LEFT_TO_OTHERS = ("abstractmethod", "overload", "override", "property", "setter")
_TAKE_ALL = frozenset({"locals", "vars"})
"""Calls that use a name without writing it."""
_ASK = frozenset({"isinstance", "hasattr", "callable", "type"})
_READ = _ASK | {"str"}
"""Calls that put nothing anywhere themselves."""


def note_idle_devices(frame: Frame, function: ir.Function) -> None:
    """Notes the devices that decide nothing: parameters that are only asked about, and names that nothing
    reads."""
    if not (frame.evidence.names_device and frame.wants(SettingKind.IDLE_DEVICE)) or frame.is_test:
        return
    unread = _unread_names(frame)
    idle = [
        parameter
        for parameter in function.parameters
        if _is_device(frame, parameter)
        and not _is_handed_on(frame, function, parameter.name)
        and not _is_used(frame, function, parameter.name)
    ]
    if not (unread or idle) or _takes_all(frame):
        return
    if idle and not (_is_for_others(frame, function) or _only_checks(frame)):
        for parameter in idle:
            _note(frame, parameter.id, parameter.name, function.name)
    for target in unread:
        _note(frame, target.id, target.name)


def _note(frame: Frame, site: SiteId, name: str, function: str = "") -> None:
    """Notes it where it stands, wherever the function has got to in the end."""
    event = Setting(site, None, Certainty.PROVEN, SettingKind.IDLE_DEVICE, name, function)
    frame.program.emit(event, frame)


def _takes_all(frame: Frame) -> bool:
    return any(
        isinstance(node, ir.Call) and path(node.function) in _TAKE_ALL for node in frame.evidence.nodes
    )


def _is_device(frame: Frame, parameter: ir.Parameter) -> bool:
    """Whether a parameter is a device, by its name or annotation, and no switch (`check_device=False`)."""
    if parameter.stars or (
        isinstance(parameter.default, ir.Constant) and isinstance(parameter.default.value, bool)
    ):
        return False
    if parameter.annotation is not None and path(parameter.annotation) == "bool":
        return False
    return parameter.name.endswith("device") or frame.evidence.kinds.get(parameter.name) is Kind.DEVICE


def _is_for_others(frame: Frame, function: ir.Function) -> bool:
    """Whether others say what a function takes: the base whose method it overrides, or may override."""
    if any(_last(decorator).endswith(_LEFT_TO_OTHERS) for decorator in function.decorators):
        return True
    if frame.info is None or function.name in UPLOADERS:
        return False
    lineage = frame.info.lineage()
    if any(function.name in base.methods for base in lineage[1:]):
        return True
    return any(each.unknown_base or not _WITHOUT_DEVICES.issuperset(each.outside) for each in lineage)


def _last(decorator: ir.Expression) -> str:
    called = decorator.function if isinstance(decorator, ir.Call) else decorator
    return path(called).rpartition(".")[2]


def _only_checks(frame: Frame) -> bool:
    """Whether a function calls nothing, but for an error's sake: it is for others to write, or a test of what
    it is given."""
    errors = [node for node in frame.evidence.nodes if isinstance(node, ir.Raise | ir.Assert)]
    of_errors = {id(node) for node in walk(errors)}
    calls = (node for node in frame.evidence.nodes if isinstance(node, ir.Call) and id(node) not in of_errors)
    return all(path(call.function) in _READ for call in calls)


def _is_handed_on(frame: Frame, function: ir.Function, name: str) -> bool:
    """Whether a device is simply given to a call, `x.to(device)`, as most are."""
    return any(
        isinstance(argument.value, ir.Name) and argument.value.name == name
        for call in frame.evidence.nodes
        if isinstance(call, ir.Call) and call.arguments and not _only_asks(call, function.name)
        for argument in call.arguments
    )


def _only_asks(call: ir.Call, own: str) -> bool:
    """Whether a call does not say what for: `isinstance(device, str)`, one of the function itself, and one
    that may stand in an error's text."""
    name = path(call.function)
    return name in _READ or _is_itself(call.function, own) or name.endswith(("Error", "Warning", "device"))


def _is_used(frame: Frame, function: ir.Function, name: str) -> bool:
    """Whether a function does more with a device than to ask about it."""
    nodes = frame.evidence.nodes
    idle = {id(each) for node in nodes for each in _asked(node, function.name, name)}
    if _has_tensors(frame) and not any(map(_goes_to_cuda, nodes)):
        idle.update(id(each) for node in nodes for each in _tested(node, name))
    return any(_is_named(node, name) and id(node) not in idle for node in nodes)


def _asked(node: Node, own: str, name: str) -> Iterator[Node]:
    """Where a device is bound, given a default, handed to the function itself, or part of an error's text."""
    match node:
        case ir.Assign(targets=targets, value=value):
            yield from targets
            if any(_is_named(target, name) for target in targets):
                yield from walk([value])
        case ir.Raise():
            yield from walk([node])
        case ir.Call(function=function, arguments=arguments):
            if path(function) in _ASK or _is_itself(function, own):
                yield from (argument.value for argument in arguments)


def _has_tensors(frame: Frame) -> bool:
    """Whether a function is known to work on tensors. Others ask about a device to choose a way to go."""
    return Kind.TENSOR in frame.evidence.kinds.values() or any(
        isinstance(node, ir.Attribute | ir.Name) and node.name == "Tensor" for node in frame.evidence.nodes
    )


def _goes_to_cuda(node: Node) -> bool:
    """`x.cuda()`: to which device may be a matter of tests."""
    return (
        isinstance(node, ir.Call) and isinstance(node.function, ir.Attribute) and node.function.name == "cuda"
    )


def _tested(node: Node, name: str) -> Iterator[Node]:
    """Where a branch asks about a device."""
    match node:
        case ir.If(test=test) | ir.While(test=test) | ir.Assert(test=test) | ir.Conditional(test=test):
            yield from _asked_in(test, name)


def _asked_in(test: ir.Expression, name: str) -> Iterator[Node]:
    """`device`, `not device`, `device is None`, `device.type == "cuda"`, `device in ("cpu", "meta")`."""
    match test:
        case ir.Name():
            yield test
        case ir.Unary(operand=operand):
            yield from _asked_in(operand, name)
        case ir.Boolean(left=left, right=right):
            yield from _asked_in(left, name)
            yield from _asked_in(right, name)
        case ir.Compare(left=left, rest=rest):
            sides = (left, *(side for _, side in rest))
            if all(_is_fixed(side) or _is_about(side, name) for side in sides):
                yield from walk(sides)
            else:
                # To be compared with the device of something else is what the function is for.
                kinds = (side for side in sides if isinstance(side, ir.Attribute) and _is_about(side, name))
                yield from walk(kinds)


def _is_about(side: ir.Expression, name: str) -> bool:
    """`device`, `device.type`, `str(device)`."""
    match side:
        case ir.Attribute(value=value, name="type" | "index"):
            return _is_named(value, name)
        case ir.Call(function=ir.Name(name="str"), arguments=(argument,)):
            return _is_named(argument.value, name)
        case _:
            return _is_named(side, name)


def _is_fixed(side: ir.Expression) -> bool:
    """`None`, `"cuda"`, `("cpu", torch.device("meta"))`."""
    match side:
        case ir.Constant():
            return True
        case ir.Sequence(elements=elements):
            return all(map(_is_fixed, elements))
        case ir.Call(function=function, arguments=arguments):
            return path(function).endswith("device") and all(_is_fixed(each.value) for each in arguments)
        case _:
            return False


def _is_itself(function: ir.Expression, own: str) -> bool:
    """Whether a call is one of the function that it stands in."""
    return path(function) in (own, f"self.{own}", f"cls.{own}")


def _is_named(node: Node, name: str) -> bool:
    return isinstance(node, ir.Name) and node.name == name


def _unread_names(frame: Frame) -> list[ir.Name]:
    """The names that a function gives to devices and never reads."""
    given: dict[str, ir.Name] = {}
    for node in frame.evidence.nodes:
        match node:
            case ir.Assign(targets=(ir.Name(name=name) as target,), value=value) if _gives_device(value):
                given.setdefault(name, target)
    if not given:
        return []
    bound: set[int] = set()
    met: set[str] = set(frame.parameters)
    for node in frame.evidence.nodes:
        if isinstance(node, ir.Assign):
            bound.update(map(id, node.targets))
        elif isinstance(node, ir.Outer):
            met.update(node.names)
        elif isinstance(node, ir.Name) and id(node) not in bound:
            met.add(node.name)
    return [target for name, target in given.items() if name not in met]


def _gives_device(value: ir.Expression) -> bool:
    """`x.device`, `torch.device("cuda")`, and one of several by a condition."""
    match value:
        case ir.Attribute(name=name):
            return name.endswith("device")
        case ir.Call(function=function):
            return path(function) == "torch.device"
        case ir.Conditional(then=then, orelse=orelse):
            return _gives_device(then) or _gives_device(orelse)
        case ir.Boolean(left=left, right=right):
            return _gives_device(left) or _gives_device(right)
        case _:
            return False
