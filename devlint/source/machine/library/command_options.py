"""Options of the commands of click and typer: function arguments that the command line sets.

click stores them in an attribute of the function (click/decorators.py, `_param_memo`). typer derives them
from the function's signature (typer/main.py, `get_params_from_function`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from devlint.source import ir
from devlint.source.machine.domain.values import (
    FALSE,
    INT,
    STRING,
    TOP,
    TRUE,
    External,
    Known,
    Reference,
    Value,
)
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library import options
from devlint.source.walk import path

DECLARATIONS = frozenset({"click.option", "click.argument"})
_TYPES = {
    "click.INT": "int", "click.FLOAT": "float", "click.STRING": "str", "click.BOOL": "bool",
    "click.IntRange": "int", "click.FloatRange": "float",
}  # fmt: skip
_PLAIN = frozenset({"int", "float", "str", "bool"})
_DECLARED = frozenset({"typer.Option", "typer.Argument"})
_OPEN = (TOP, INT)
"""Defaults that state no value. `...` tells typer that there is no default."""


class Stated(NamedTuple):
    """An option: the name of the argument, its value if only required options are given, and its type."""

    name: str
    held: Value
    kind: Value | None


def of_parameters(machine: Machine, parameters: Iterable[Value], call: Call) -> Iterator[Stated]:
    """The options of a click command, from the calls of `click.option(...)` and `click.argument(...)`."""
    for each in parameters:
        option = each.target if isinstance(each, Reference) else None
        if isinstance(option, Instance) and option.arguments.get("expose_value") != FALSE:
            name = _name(option)
            kind = _kind(option.arguments.get("type"))
            yield Stated(name, _value(machine, name, option, kind, call), kind)


def _declarations(option: Instance) -> list[str]:
    """The declarations of an option: `--device`, `-d`, and perhaps the name of the argument."""
    held = (value for key, value in option.arguments.items() if key.isdigit())
    return [each.value for each in held if isinstance(each, Known) and isinstance(each.value, str)]


def _name(option: Instance) -> str:
    """The name of the argument that receives an option (click/core.py, `Option._parse_decls`)."""
    spelled = _declarations(option)
    explicit = next((each for each in spelled if each.isidentifier()), "")
    if explicit:
        return explicit if option.of == "click.option" else explicit.lower()
    longest = max(spelled, key=lambda each: len(each) - len(each.lstrip("-")), default="")
    return longest.partition("/")[0].strip().lstrip("-").replace("-", "_").lower()


def _value(machine: Machine, name: str, option: Instance, kind: Value | None, call: Call) -> Value:
    """The value of an option or argument if the command line gives only required ones."""
    stated = option.arguments
    default = stated.get("default")
    is_function = isinstance(default, Reference) and isinstance(default.target, Function)
    if default is not None and is_function:
        default = machine.call(default, call.passing([]))
    if "callback" in stated or "flag_value" in stated:
        return TOP
    if stated.get("count") == TRUE:
        return options.defaulting(name, default or Known(0), kind)
    if stated.get("is_flag") == TRUE or any("/" in each for each in _declarations(option)):
        return options.switch(name, default)
    if stated.get("multiple") == TRUE or "nargs" in stated:
        return machine.adopt(Container("tuple", element=STRING if kind is None else TOP))
    is_argument = option.of == "click.argument" and default is None and stated.get("required") != FALSE
    if is_argument or stated.get("required") == TRUE or stated.get("prompt", FALSE) != FALSE:
        return options.required(name, kind, _choices(stated.get("type"))) if default is None else default
    return options.defaulting(name, default, kind)


def _kind(stated: Value | None) -> Value | None:
    """The type of an option, by Python's name for it."""
    name = stated.name if isinstance(stated, External) else ""
    if isinstance(stated, Reference) and isinstance(stated.target, Instance):
        name = stated.target.class_name
    return External(f"builtins.{_TYPES[name]}") if name in _TYPES else stated


def _choices(kind: Value | None) -> Value | None:
    held = kind.target if isinstance(kind, Reference) else None
    return held.arguments.get("0") if isinstance(held, Instance) and held.of == "click.Choice" else None


def of_signature(function: Function, context: Value) -> Iterator[Stated]:
    """The options of a function that typer calls, from its parameters."""
    for each in function.node.parameters:
        if each.stars:
            continue
        stated = _spelled(each.annotation)
        if stated.rpartition(".")[2] == "Context":
            yield Stated(each.name, context, None)
            continue
        kind = External(f"builtins.{stated}") if stated in _PLAIN else None if stated == "" else TOP
        default = _default_of(function.defaults.get(each.name))
        held = (
            options.required(each.name, kind)
            if default is None
            else options.defaulting(each.name, default, kind)
        )
        yield Stated(each.name, held, kind)


def _spelled(annotation: ir.Expression | None) -> str:
    """The type of an annotation, which is the first item of `Annotated[type, ...]`."""
    if isinstance(annotation, ir.Subscript) and path(annotation.value).rpartition(".")[2] == "Annotated":
        annotation = annotation.indices[0]
    return "" if annotation is None else path(annotation) or "?"


def _default_of(stated: Value | None) -> Value | None:
    """The default of a parameter, which is the first argument of `typer.Option(default, ...)`; None if there
    is none."""
    held = stated.target if isinstance(stated, Reference) else None
    if not isinstance(held, Instance) or held.of not in _DECLARED:
        return stated
    default = held.arguments.get("0", held.arguments.get("default"))
    return None if default in _OPEN else default
