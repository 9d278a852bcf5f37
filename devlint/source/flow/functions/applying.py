"""What a call comes to, by the summary of the function that is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from devlint.model import CPU, UNKNOWN, SiteId, Symbol
from devlint.source.flow.functions.demands import instantiate
from devlint.source.flow.functions.summaries import (
    MadeBy,
    Summary,
    bind_arguments,
    can_hold,
    device_for,
    substitute,
)
from devlint.source.flow.modules.instances import OWN
from devlint.source.flow.modules.moved_modules import hand_over, replace_module, take_apart
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.lattice import join_all, map_devices
from devlint.source.flow.state.values import NONE, TOP, Container, FunctionValue, Instance, Module, Value
from devlint.source.flow.syntax.decorators import is_static
from devlint.source.walk import path


def _forget(frame: Frame, argument: Passed) -> None:
    """Nothing is known any more of an argument that has been changed."""
    name = path(argument.expression)
    if name:
        frame.environment.forget_below(name)
        frame.bind(name, Container(TOP) if isinstance(argument.value, Container) else TOP)


def arguments_of(
    callee: FunctionValue, passed: Sequence[Passed], receiver: Value | None
) -> dict[str, Passed]:
    """What each parameter is given. `self` stands for the receiver, whose own symbol it keeps."""
    parameters = callee.function.parameters
    has_receiver = receiver is not None and callee.info is not None and not is_static(callee.function)
    arguments = bind_arguments(parameters, passed, skip_first=has_receiver)
    if has_receiver and parameters:
        arguments.pop(parameters[0].name, None)
    return arguments


def apply(
    frame: Frame,
    site: SiteId,
    callee: FunctionValue,
    summary: Summary,
    arguments: Mapping[str, Passed],
    receiver: Value | None,
    enclosed: Mapping[str, Value],
) -> Value:
    """What a function returns for these arguments; notes what they bring about in it.

    `enclosed` is what an inner function sees of the function around it.
    """
    if summary.starts_accelerator:
        frame.starts_accelerator(site)
    frame.work += summary.works
    if summary.waits:
        frame.waited()
    for demand in summary.demands:
        if can_hold(demand.tested, arguments):
            for met in instantiate(frame, site, demand.operation, arguments, receiver):
                frame.emit(met)
    for name, argument in arguments.items():
        if isinstance(argument.value, Container):
            hand_over(frame, argument.expression, argument.value)
        if name in summary.changed and isinstance(argument.value, Container | Instance):
            _forget(frame, argument)
    if callee.function.is_async:
        return TOP
    values = {**enclosed, **{name: argument.value for name, argument in arguments.items()}}
    for name, device in summary.moved.items():
        if name not in arguments:
            # The object itself, by another name than `self`.
            continue
        moved, expression = arguments[name].value, arguments[name].expression
        # `module.to(None)` moves nothing, and is hardly ever reached.
        stays = isinstance(device, Symbol) and values.get(device.name) == NONE
        if isinstance(moved, Module) and not stays:
            place = device_for(device, values)
            replace_module(frame, expression, moved, replace(moved, device=place))
        elif not stays:
            # What the caller was given itself is moved for its own caller.
            take_apart(frame, expression, moved)
    if isinstance(receiver, Instance):
        for name in summary.assigned:
            frame.environment.names.pop(f"{receiver.owner}.{name}", None)
    if receiver is not None and not (isinstance(receiver, Instance) and receiver.owner == OWN):
        # Where another object says that its parts are is not where this one says so.
        values[OWN] = receiver
    ways = [way.value for way in summary.returns if can_hold(way.tested, arguments)]
    returned = substitute(join_all(ways), values, MadeBy(site, callee.qualname))
    if frame.default_device.device != CPU:
        # What the function makes without a device is on the caller's default one.
        returned = map_devices(returned, lambda device: UNKNOWN if device == CPU else device)
    return returned
