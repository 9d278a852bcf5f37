"""Callbacks: functions that a program passes to code that is not read, which calls them.

`app.run(main)`, `study.optimize(objective)` and `fire.Fire(train)` start the purpose of the program. So does
the user who runs a command of click or typer, which the defining file need not call.
"""

from __future__ import annotations

from typing import NamedTuple

from devlint.model import UNKNOWN, Confidence, SiteId, Symbol, SymbolKind
from devlint.source.machine.domain.values import Reference, Value
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.objects import BoundMethod, Partial
from devlint.source.machine.interprocedural.machine import AbstractMachine
from devlint.source.machine.interprocedural.supposed_arguments import arguments
from devlint.source.machine.library import commands


class Callback(NamedTuple):
    """A function of the project that was passed to other code."""

    function: Function
    receiver: Reference | None
    site: SiteId
    """The site at which it was passed."""
    bound: tuple[Value, ...] = ()
    """The leading arguments that `functools.partial` has bound."""
    keywords: tuple[tuple[str, Value], ...] = ()


def call_back(machine: AbstractMachine) -> None:
    """Call the functions that the program passes to other code and does not call itself, with unknown
    arguments."""
    done = 0
    while done < len(machine.handed_over):
        call, held = machine.handed_over[done]
        done += 1
        if commands.is_command(held):
            _start(machine, held, call)
            continue
        callback = _callback(held, call)
        if callback is not None and callback.function.identity not in machine.following.reached:
            _follow(machine, callback)


def _start(machine: AbstractMachine, command: Value, call: Call) -> None:
    """Run a command that the program does not run itself."""
    functions = commands.functions(command)
    if not any(each.identity in machine.following.reached for each in functions):
        machine.call(command, call.passing([]))
        machine.execution.loop = None


def _callback(held: Value, call: Call) -> Callback | None:
    match held:
        case Reference(target=Function() as function):
            return Callback(function, None, call.site)
        case Reference(target=BoundMethod(function=function, receiver=Reference() as receiver)):
            return Callback(function, receiver, call.site)
        case Reference(target=Partial(callee=callee, arguments=bound, keywords=keywords)):
            inner = _callback(callee, call)
            return inner and inner._replace(bound=tuple(bound), keywords=tuple(keywords.items()))
        case _:
            return None


def _follow(machine: AbstractMachine, callback: Callback) -> None:
    function, receiver = callback.function, callback.receiver
    names = [each.name for each in function.node.parameters]
    own = names[receiver is not None :]
    device = Symbol(own[0], SymbolKind.TENSOR) if own else UNKNOWN
    scope = arguments(machine, function, device, Confidence.POSSIBLE, receiver=receiver)
    scope.cells.update(zip(own, callback.bound, strict=False))
    scope.cells.update({name: held for name, held in callback.keywords if name in own})
    machine.followed(function, scope, callback.site)
    machine.execution.loop = None
