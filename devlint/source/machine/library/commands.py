"""Commands of click and typer: functions that a command line calls, with options as arguments."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.source.machine.domain.values import NONE, TOP, External, Known, Method, Object, Reference, Value
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.heap.paths import for_each
from devlint.source.machine.library import options
from devlint.source.machine.library.command_options import DECLARATIONS, of_parameters, of_signature
from devlint.source.machine.library.handlers import Handler

COMMAND, GROUP, APP, CONTEXT = "click.Command", "click.Group", "typer.Typer", "click.Context"
CLASSES = frozenset({COMMAND, GROUP, APP, CONTEXT})
"""The classes whose methods this file models."""
_MAKERS = {"click.command": COMMAND, "click.group": GROUP}
_PASSES = frozenset({"click.pass_context", "click.pass_obj"})
_MEMBERS = frozenset({"command", "group", "callback"})
"""Methods that return decorators, or decorate directly when they are written without parentheses."""
_OF_MEMBERS = {f"{GROUP}.{name}": name for name in _MEMBERS}
"""The decorators that they return."""
_PARAMETERS, _COMMANDS = "__click_params__", "commands"


def is_command(held: Value) -> bool:
    """Whether a value is a command, a group of commands, or an application."""
    return isinstance(held, Reference) and _of(held.target) in (COMMAND, GROUP, APP)


def is_decorator(held: Value) -> bool:
    """Whether a value turns a function into a command, or adds options to it."""
    match held:
        case External(name=name):
            return name in _MAKERS or name in _PASSES
        case Reference(target=Instance(of=str(name))):
            return name in _MAKERS or name in DECLARATIONS or name in _OF_MEMBERS
        case Method(receiver=receiver, name=name):
            return is_command(receiver) and name in _MEMBERS
        case _:
            return False


def decorate(machine: Machine, decorator: Instance, call: Call) -> Value:
    """Apply the result of `click.option(...)`, `click.command(...)` or `group.command(...)` to a function."""
    name = decorator.class_name
    if name in DECLARATIONS:
        _declare(machine, decorator, call)
        return call.first
    if name in _OF_MEMBERS:
        return _add(machine, decorator.arguments["self"], _OF_MEMBERS[name], call)
    return _made(machine, _MAKERS[name], call)


def function_of(command: Value) -> Function | None:
    """The function of the project that a command calls, or that a group calls before its commands."""
    held = command.target if isinstance(command, Reference) else None
    if isinstance(held, Instance) and held.of in (COMMAND, GROUP, APP):
        return function_of(held.arguments["callback"]) if "callback" in held.arguments else None
    return held if isinstance(held, Function) else None


def functions(command: Value) -> Iterator[Function]:
    """The functions that running a command may call."""
    own = function_of(command)
    if own is not None:
        yield own
    for each in _listed(command, _COMMANDS):
        yield from functions(each)


def call_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    """A method of a command, a group, an application or a context."""
    held = receiver.target if isinstance(receiver, Reference) else None
    if not isinstance(held, Instance):
        return TOP
    if held.of == CONTEXT:
        return _of_context(machine, held, name, call)
    if name in _MEMBERS:
        if call.passed and function_of(call.first) is not None:
            return _add(machine, receiver, name, call)
        made = Instance(f"{GROUP}.{name}", call.site)
        made.arguments["self"] = receiver
        return machine.adopt(made)
    if name in ("add_command", "add_typer"):
        _append(machine, held, _COMMANDS, call.first)
        return NONE
    return run(machine, receiver, call) if name == "main" else TOP


def run(machine: Machine, command: Value, call: Call) -> Value:
    """Run a command from a command line without any optional argument."""
    made = Instance(CONTEXT, call.site)
    made.cells["obj"] = call.value("obj") or NONE
    _invoke(machine, command, machine.adopt(made), call)
    return TOP


def _invoke(machine: Machine, command: Value, context: Value, call: Call) -> None:
    """Call the function of a group, and then that of one of its commands."""
    function = function_of(command)
    if function is not None:
        machine.call(Reference(function), call.passing(list(_arguments(machine, command, context, call))))
    members = _listed(command, _COMMANDS)

    def invoked(member: Value) -> Value:
        _invoke(machine, member, context, call)
        return TOP

    for_each(machine, members, invoked)


def _arguments(machine: Machine, command: Value, context: Value, call: Call) -> Iterator[Passed]:
    """The arguments that a command passes to its function."""
    function = function_of(command)
    assert function is not None
    held = command.target if isinstance(command, Reference) else None
    if "click.pass_context" in function.marks:
        yield Passed(context, call.node, call.site)
    if "click.pass_obj" in function.marks:
        yield Passed(machine.attribute(context, "obj", call.frame, call.node), call.node, call.site)
    by_signature = held is function or (isinstance(held, Instance) and held.of == APP)
    declared = _listed(command, _PARAMETERS)
    stated = of_signature(function, context) if by_signature else of_parameters(machine, declared, call)
    for name, value, kind in stated:
        supplied = Known(0) if options.may_name_device(value, kind) else None
        chosen = options.chosen(machine, name, value, supplied)
        yield Passed(chosen, call.node, call.site, keyword=name)


# Results of decorators


def _made(machine: Machine, of: str, call: Call) -> Value:
    """A command of a function, with the function's options."""
    if function_of(call.first) is None:
        return call.first
    made = Instance(of, call.site)
    made.arguments["callback"] = call.first
    made.cells[_PARAMETERS] = machine.adopt(Container("list", _listed(call.first, _PARAMETERS)))
    command = machine.adopt(made)
    machine.hand_over(call.passing([call.passed[0]._replace(value=command)]))
    return command


def _declare(machine: Machine, option: Instance, call: Call) -> None:
    """Add an option to a function or a command."""
    if isinstance(call.first, Reference):
        _append(machine, call.first.target, _PARAMETERS, Reference(option))


def _pass(mark: str) -> Handler:
    def handler(machine: Machine, call: Call) -> Value:
        function = function_of(call.first)
        if function is not None:
            function.marks |= {mark}
        return call.first

    return handler


def _maker(name: str) -> Handler:
    """`click.command` as a decorator, or a call that returns one."""

    def handler(machine: Machine, call: Call) -> Value:
        if name in _MAKERS and call.passed and function_of(call.first) is not None:
            return _made(machine, _MAKERS[name], call)
        machine.hand_over(call)
        made = Instance(name, call.site)
        for at, each in enumerate(call.passed):
            made.arguments[each.keyword or str(at)] = each.value
        return machine.adopt(made)

    return handler


# Groups and contexts


def _add(machine: Machine, group: Value, name: str, call: Call) -> Value:
    """Add a command to a group, or set the function that an application calls before its commands."""
    held = group.target if isinstance(group, Reference) else None
    assert isinstance(held, Instance)
    if held.of != APP:
        command = _made(machine, GROUP if name == "group" else COMMAND, call)
        _append(machine, held, _COMMANDS, command)
        return command
    if name == "callback":
        held.arguments["callback"] = call.first
    else:
        _append(machine, held, _COMMANDS, call.first)
    machine.hand_over(call.passing([call.passed[0]._replace(value=group)]))
    return call.first


def _of_context(machine: Machine, context: Instance, name: str, call: Call) -> Value:
    if name == "ensure_object" and call.passed:
        held = context.cells.get("obj", NONE)
        if held == NONE:
            held = machine.call(call.first, call.passing([]))
            machine.store.write(context, "obj", held)
        return held
    if name == "invoke" and call.passed:
        supplied = [each for each in call.passed[1:] if each.keyword]
        names = {each.keyword for each in supplied}
        function = function_of(call.first)
        if function is None or not is_command(call.first):
            return machine.call(call.first, call.passing(call.passed[1:]))
        own = _arguments(machine, call.first, Reference(context), call)
        return machine.call(
            Reference(function),
            call.passing([*(each for each in own if each.keyword not in names), *supplied]),
        )
    return TOP


def _append(machine: Machine, owner: Object, key: str, held: Value) -> None:
    listed = owner.cells.get(key)
    if not isinstance(listed, Reference):
        listed = machine.adopt(Container("list"))
        machine.store.write(owner, key, listed)
    assert isinstance(listed, Reference)
    machine.store.write(listed.target, len(listed.target.cells), held)


def _listed(owner: Value, key: str) -> list[Value]:
    held = owner.target.cells.get(key) if isinstance(owner, Reference) else None
    return held.target.items if isinstance(held, Reference) and isinstance(held.target, Container) else []


def _of(held: object) -> str:
    return held.of if isinstance(held, Instance) and isinstance(held.of, str) else ""


def _run_function(machine: Machine, call: Call) -> Value:
    """`typer.run(main)`."""
    return run(machine, call.first, call.passing(call.passed[1:]))


COMMANDS: dict[str, Handler] = {
    **{name: _maker(name) for name in (*DECLARATIONS, *_MAKERS)},
    **{name: _pass(name) for name in _PASSES},
    "typer.run": _run_function,
}
