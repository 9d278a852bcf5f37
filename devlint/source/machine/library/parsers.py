"""Command line options: what `parse_args` gives, before anybody has given an option."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import parse_device
from devlint.source.machine.domain.values import (
    FLOAT,
    INT,
    NONE,
    SCALAR,
    STRING,
    TOP,
    TRUE,
    External,
    Known,
    Option,
    Reference,
    Scalar,
    Value,
)
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance

PARSERS = frozenset({"argparse.ArgumentParser", "configargparse.ArgumentParser", "optparse.OptionParser"})
_ADD = frozenset({"add_argument", "add_option"})
_GROUPS = frozenset({"add_argument_group", "add_mutually_exclusive_group", "add_subparsers", "add_parser"})
NAMESPACE = "argparse.Namespace"


def is_parser(externals: Sequence[str]) -> bool:
    """Whether a class is a parser of command lines."""
    return any(each in PARSERS for each in externals)


def call_method(machine: Machine, parser: Instance, receiver: Value, name: str, call: Call) -> Value:
    """`parser.name(...)`."""
    if name in _GROUPS:
        return receiver
    if name in _ADD:
        _add(machine, parser, call)
        return TOP
    if name == "set_defaults":
        for each in call.passed:
            if each.keyword:
                machine.store.write(parser, each.keyword, each.value)
        return NONE
    if name in ("parse_args", "parse_known_args"):
        made = Instance(NAMESPACE, call.site)
        made.cells.update({key: _chosen(machine, parser, key, held) for key, held in parser.cells.items()})
        namespace = machine.adopt(made)
        if name == "parse_known_args" or parser.of == "optparse.OptionParser":
            return machine.adopt(Container("tuple", [namespace, TOP]))
        return namespace
    return TOP


ANY_TEXT = "any text"
"""The flag of a run in which options that are text, such as the kind of a model, may be any text."""


def _chosen(machine: Machine, parser: Instance, key: object, held: Value) -> Value:
    """An option as it is given in the present run: a device other than the default host, say."""
    given = parser.arguments.get(f"given {key}")
    if given is not None:
        machine.ask(f"given {key}")
        return given if machine.world.get(f"given {key}") else held
    if isinstance(held, Option) and machine.world.get(f"option {held.key}"):
        return Known("cuda")
    if isinstance(held, Option) and isinstance(held.value, str) and parse_device(held.value) is None:
        return STRING if machine.decided(ANY_TEXT, default=False) else held
    return held


def _add(machine: Machine, parser: Instance, call: Call) -> None:
    """`parser.add_argument("--device", default="cuda")`."""
    names = [
        each.value.value
        for each in call.passed
        if not each.keyword and isinstance(each.value, Known) and isinstance(each.value.value, str)
    ]
    destination = call.value("dest")
    if isinstance(destination, Known) and isinstance(destination.value, str):
        name = destination.value
    else:
        long = next((each for each in names if each.startswith("--")), names[0] if names else "")
        name = long.lstrip("-").replace("-", "_")
    if name:
        is_positional = bool(names) and not names[0].startswith("-")
        held = _given(call) if is_positional or call.value("required") == TRUE else _default(name, call)
        machine.store.write(parser, name, held)
        kind = call.value("type")
        if held == NONE and isinstance(kind, External) and kind.name == "builtins.int":
            parser.arguments[f"given {name}"] = Known(0)  # the number of a device, if it is one


def _given(call: Call) -> Value:
    """What a user has to give: the first of the choices, or anything of a type."""
    choices, kind = call.value("choices"), call.value("type")
    if isinstance(choices, Reference) and isinstance(choices.target, Container) and choices.target.items:
        return choices.target.items[0]
    if isinstance(kind, External) and kind.name in _TYPES:
        return _TYPES[kind.name]
    return STRING if kind is None else TOP


_TYPES: dict[str, Value] = {"builtins.int": INT, "builtins.float": FLOAT, "builtins.str": STRING}


def _default(name: str, call: Call) -> Value:
    action, default, kind = call.value("action"), call.value("default"), call.value("type")
    if action == Known("store_true"):
        return Scalar("bool", flag=name, flag_default=_is_true(default, otherwise=False))
    if action == Known("store_false"):
        return Scalar("bool", flag=name, flag_default=_is_true(default, otherwise=True))
    if isinstance(action, External) and action.name.endswith("BooleanOptionalAction"):
        return Scalar("bool", flag=name, flag_default=_is_true(default, otherwise=False))
    if default is None:
        default = NONE
    if isinstance(default, Known) and isinstance(default.value, bool):
        return Scalar("bool", flag=name, flag_default=default.value)
    if isinstance(default, Known):
        return _of_type(default, kind, name)
    return default


def _of_type(default: Known, kind: Value | None, name: str) -> Value:
    held = default.value
    if held is None:
        return NONE
    convert = _CONVERT.get(kind.name if isinstance(kind, External) else _spelled(kind))
    if convert is not None and isinstance(held, str):
        try:
            return Option(convert(held), name)
        except ValueError:
            return SCALAR
    return Option(held, name)


_CONVERT = {"builtins.int": int, "builtins.float": float, "int": int, "float": float}
"""Types of numbers, as `argparse` and as `optparse` is told them."""


def _spelled(kind: Value | None) -> str:
    return kind.value if isinstance(kind, Known) and isinstance(kind.value, str) else ""


def _is_true(default: Value | None, *, otherwise: bool) -> bool:
    if isinstance(default, Known):
        return bool(default.value)
    return otherwise
