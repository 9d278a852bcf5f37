"""Modules move in place: what a move means for the names, lists and dicts that hold the module."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from devlint.model import UNKNOWN, Device
from devlint.source import ir
from devlint.source.flow.state.class_info import OWN_MOVES
from devlint.source.flow.state.environment import Environment
from devlint.source.flow.state.frame import Frame
from devlint.source.flow.state.values import TOP, Container, Module, Tensor, Value
from devlint.source.flow.syntax.elements import iterate, members
from devlint.source.walk import assigned_names, path, walk


def replace_module(frame: Frame, owner: ir.Expression, module: Module, moved: Module) -> None:
    """A module has moved in place: every name that holds it holds the moved one."""
    name = path(owner)
    names = frame.environment.names
    for other in [
        other for other, held in names.items() if held == module and other != name and module.origin.steps
    ]:
        names[other] = moved
    _forget_containers(frame, module)
    if not name:
        return
    if name in frame.parameters:
        frame.moved[name] = moved.device
    frame.bind(name, moved)
    _scatter(frame, name)
    if name.startswith("self."):
        frame.assigned.setdefault(name.removeprefix("self."), []).append(moved)


def _forget_containers(frame: Frame, module: Module) -> None:
    """Where the modules lie is not known of a list or dict that holds one that has moved."""
    for name, held in frame.environment.names.items():
        if isinstance(held, Container) and (module in members(held) or iterate(held) == module):
            frame.environment.names[name] = with_modules(held, _anywhere)
            _forget(frame, [member for member in members(held) if member != module])


def _forget(frame: Frame, modules: Collection[Value]) -> None:
    """Forget where these modules lie, under whatever name."""
    for name, held in frame.environment.names.items():
        if isinstance(held, Module) and held in modules:
            frame.environment.names[name] = replace(held, device=UNKNOWN, anchor="")


def _anywhere(device: Device) -> Device:
    return UNKNOWN


def with_modules(value: Value, change: Callable[[Device], Device]) -> Value:
    """A value with the devices of the modules changed that it is or holds."""
    match value:
        case Module():
            return replace(value, device=change(value.device), anchor="")
        case Container(element=element, items=items):
            held = items and tuple((key, with_modules(item, change)) for key, item in items)
            return replace(value, element=with_modules(element, change), items=held)
        case _:
            return value


def forget_moved_by_functions(environment: Environment, body: ir.Block) -> None:
    """A module that the body of a file makes and a function moves is in two places, by when it is used."""
    held = {name: value for name, value in environment.names.items() if isinstance(value, Module)}
    if not held:
        return
    for function in walk(body, into_scopes=True):
        if isinstance(function, ir.Function):
            own = assigned_names(function.body).union(parameter.name for parameter in function.parameters)
            for name in (_moved_in(function) & held.keys()) - own:
                environment.names[name] = with_modules(held[name], _anywhere)


def _moved_in(function: ir.Function) -> set[str]:
    calls = (node.function for node in walk(function.body) if isinstance(node, ir.Call))
    return {path(each.value) for each in calls if isinstance(each, ir.Attribute) and each.name in OWN_MOVES}


def follow_drawn(frame: Frame, iterable: ir.Expression, target: ir.Expression, drawn: Value) -> None:
    """`for net in (first, second): net.to(device)` moves what other names hold."""
    if not isinstance(drawn, Module | Container):
        return
    before = [member for member in (drawn, *_inside(drawn)) if isinstance(member, Module)]
    targets = (frame.environment.get(path(each)) for each in walk([target]) if isinstance(each, ir.Name))
    after = [value for value in targets if isinstance(value, Module)]
    if not before or all(module in before for module in after):
        return
    moved = after[0].device if len(after) == 1 else UNKNOWN
    for each in walk([iterable]):
        name = path(each) if isinstance(each, ir.Name | ir.Attribute) else ""
        held = frame.look_up(name) if name else None
        if isinstance(held, Module | Container):
            frame.environment.names[name] = with_modules(held, lambda _: moved)
        elif name.startswith("self."):
            # What an attribute holds is looked up in its class, which has to know.
            frame.rebind(name, TOP)


def _inside(value: Value) -> list[Value]:
    return members(value) if isinstance(value, Container) else []


def take_apart(frame: Frame, owner: ir.Expression, held: Value) -> None:
    """What is written so may have parameters elsewhere from now on, if it is a module."""
    name = path(owner)
    if isinstance(held, Module) and held.device != UNKNOWN:
        replace_module(frame, owner, held, replace(held, device=UNKNOWN, anchor=""))
    elif isinstance(held, Tensor) and not held.evident and held.untouched and name in frame.parameters:
        frame.moved[name] = UNKNOWN


def hand_over(frame: Frame, expression: ir.Expression, given: Value) -> None:
    """What is not known may move the modules that it is given, by themselves or in a list or dict."""
    take_apart(frame, expression, given)
    if isinstance(given, Module) and path(expression):
        frame.environment.forget_below(path(expression))
    if isinstance(given, Container):
        _forget(frame, members(given))
        if path(expression) in frame.environment.names:
            frame.environment.names[path(expression)] = with_modules(given, _anywhere)


def _scatter(frame: Frame, name: str) -> None:
    """A part has moved by itself, so that the parameters of the whole are no longer in one place."""
    whole = name.rpartition(".")[0]
    held = frame.environment.get(whole) if whole else None
    if isinstance(held, Module):
        frame.environment.names[whole] = replace(held, device=UNKNOWN)
