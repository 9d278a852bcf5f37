"""Options of a command line: their values without an argument, and in runs in which they are given."""

from __future__ import annotations

import re
from collections.abc import Mapping

from devlint.model import Confidence, parse_device
from devlint.source.machine.domain.option_values import GivenText, OmittedOption, Option
from devlint.source.machine.domain.values import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    SCALAR,
    STRING,
    TOP,
    External,
    Known,
    Reference,
    Scalar,
    Value,
)
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container

_NUMBERS = re.compile(r"[-\d.,\s]+")
ANY_TEXT = "any text"
"""The flag of a run in which options that are text, such as the kind of a model, have any value."""
_TYPES: dict[str, Value] = {
    "builtins.int": INT, "builtins.float": FLOAT, "builtins.str": STRING, "builtins.bool": BOOL,
}  # fmt: skip
_CONVERT = {"builtins.int": int, "builtins.float": float, "int": int, "float": float}
"""The types of numbers, as passed to most libraries and to `optparse`."""


def required(name: str, kind: Value | None, choices: Value | None = None) -> Value:
    """The value of a required option: the first of the choices, or any value of its type."""
    if isinstance(choices, Reference) and isinstance(choices.target, Container) and choices.target.items:
        first = choices.target.items[0]
        return Option(first.value, name) if isinstance(first, Known) else first
    if kind is None or kind == External("builtins.str"):
        return GivenText("str", least=1, option=name)
    return _TYPES.get(kind.name, TOP) if isinstance(kind, External) else TOP


def defaulting(name: str, default: Value | None, kind: Value | None) -> Value:
    """The value of an option that is not given: its default, else None."""
    if default in (None, NONE):
        is_text = kind is None or (isinstance(kind, External) and kind.name == "builtins.str")
        return OmittedOption(None, name) if is_text else NONE
    if isinstance(default, Known) and isinstance(default.value, bool):
        return switch(name, default)
    return _of_type(default, kind, name) if isinstance(default, Known) else default


def several(name: str, defaults: Container) -> Container:
    """The values of an option that takes several: each is a default of it, as a single one would be."""
    made = Container(defaults.kind)
    for key, each in defaults.cells.items():
        known = isinstance(each, Known) and type(each.value) in (int, str)
        made.cells[key] = Option(each.value, name) if isinstance(each, Known) and known else each
    return made


def switch(name: str, default: Value | None, *, otherwise: bool = False) -> Value:
    """A switch; `otherwise` is its default if none is stated."""
    on = bool(default.value) if isinstance(default, Known) else otherwise
    return Scalar("bool", flag=name, flag_default=on)


def may_name_device(held: Value, kind: Value | None) -> bool:
    """Whether an option that is not given could be given as the number of a device."""
    return held == NONE and isinstance(kind, External) and kind.name == "builtins.int"


def names_device(flag: str) -> bool:
    """Whether a flag is that of an option whose value is a device."""
    return flag.startswith(("option ", "number "))


def sureness_of_devices(world: Mapping[str, bool]) -> Confidence:
    """The confidence of the texts of devices in a run: an option that names a device may name its ordinal,
    too."""
    supposed = any(on and names_device(flag) for flag, on in world.items())
    return Confidence.POSSIBLE if supposed else Confidence.CERTAIN


def chosen(machine: Machine, key: object, held: Value, supplied: Value | None = None) -> Value:
    """The value of an option in the present run, such as a device other than the default host."""
    if supplied is not None:
        machine.ask(f"given {key}")
        return supplied if machine.world.get(f"given {key}") else held
    if isinstance(held, Reference) and isinstance(held.target, Container) and machine.world:
        made = Container(held.target.kind)
        made.cells = {at: chosen(machine, key, each) for at, each in held.target.cells.items()}
        return machine.adopt(made)
    if isinstance(held, OmittedOption):
        return GivenText("str", least=1, option=held.key) if machine.world.get(held.given.flag) else held
    if isinstance(held, Option) and machine.world.get(f"option {held.key}"):
        return Known("cuda")
    if isinstance(held, Option) and machine.world.get(f"number {held.key}"):
        return Known(0)
    if isinstance(held, Option) and isinstance(held.value, str) and _is_word(held.value):
        given = GivenText("str", least=1, option=held.key, default=held.value)
        return given if machine.decided(ANY_TEXT, default=False) else held
    if isinstance(held, GivenText):
        machine.decided(ANY_TEXT, default=False)
    return held


def _is_word(text: str) -> bool:
    """Whether a text names neither a device nor numbers, such as those of devices in `0,1`."""
    return parse_device(text) is None and not _NUMBERS.fullmatch(text)


def _of_type(default: Known, kind: Value | None, name: str) -> Value:
    held = default.value
    convert = _CONVERT.get(kind.name if isinstance(kind, External) else _spelled(kind))
    if convert is not None and isinstance(held, str):
        try:
            return Option(convert(held), name)
        except ValueError:
            return SCALAR
    return Option(held, name)


def _spelled(kind: Value | None) -> str:
    return kind.value if isinstance(kind, Known) and isinstance(kind.value, str) else ""
