"""Parsers of command lines: the result of `parse_args`."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.source.machine.domain.values import NONE, TOP, TRUE, External, Known, Reference, Top, Value
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library import options

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
        for key, held in parser.cells.items():
            chosen = options.chosen(machine, key, held, parser.arguments.get(f"given {key}"))
            made.cells[key] = _converted(machine, str(key), chosen, parser.arguments.get(f"type {key}"), call)
        namespace = machine.adopt(made)
        if name == "parse_known_args" or parser.of == "optparse.OptionParser":
            return machine.adopt(Container("tuple", [namespace, TOP]))
        return namespace
    return TOP


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
        kind = call.value("type")
        if is_positional or call.value("required") == TRUE:
            held = options.required(name, kind, call.value("choices"))
        else:
            held = _default(machine, name, call)
        machine.store.write(parser, name, held)
        if options.may_name_device(held, kind):
            parser.arguments[f"given {name}"] = Known(0)
        if kind is not None and _converts(kind):
            parser.arguments[f"type {name}"] = kind


def _converts(kind: Value) -> bool:
    """Whether the type of an option is a function that is read: of the project, or one that makes devices."""
    if isinstance(kind, External):
        return kind.name == "torch.device"
    return isinstance(kind, Reference) and isinstance(kind.target, Function)


def _converted(machine: Machine, name: str, held: Value, kind: Value | None, call: Call) -> Value:
    """The value of an option that is a text, which a parser gives to the option's type; also the default."""
    if kind is None or not (isinstance(held, Known) and isinstance(held.value, str)):
        return held
    made = machine.call(kind, call.passing([Passed(held, call.node, call.site)]))
    if isinstance(made, Known) and isinstance(made.value, bool):
        return options.switch(name, made)
    return held if isinstance(made, Top) else made


def _default(machine: Machine, name: str, call: Call) -> Value:
    action, default = call.value("action"), call.value("default")
    if action in (Known("store_true"), Known("store_false")):
        return options.switch(name, default, otherwise=action == Known("store_false"))
    if isinstance(action, External) and action.name.endswith("BooleanOptionalAction"):
        return options.switch(name, default)
    if isinstance(default, Reference) and isinstance(default.target, Container):
        return machine.adopt(options.several(name, default.target))
    return options.defaulting(name, default, call.value("type"))
