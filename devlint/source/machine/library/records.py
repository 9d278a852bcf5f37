"""Functions of `dataclasses`, and the methods of named tuples."""

from __future__ import annotations

from devlint.source.machine.domain.values import TOP, Known, Reference, Value
from devlint.source.machine.heap.classes import fields_of
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.library.parsers import NAMESPACE


def replaced(machine: Machine, record: Instance, call: Call) -> Value:
    """Another record, with the given fields in place of its own."""
    made = Instance(record.of, call.site)
    made.cells.update(record.cells)
    made.cells.update({each.keyword: each.value for each in call.passed if each.keyword})
    return machine.adopt(made)


def as_dict(machine: Machine, record: Instance) -> Value:
    """The fields of a record by their names."""
    held = Container("dict")
    held.cells.update({key: each for key, each in record.cells.items() if isinstance(key, str)})
    return machine.adopt(held)


def call_method(machine: Machine, record: Instance, name: str, call: Call) -> Value:
    """`record.name(...)`, a method of a named tuple."""
    if name == "_replace":
        return replaced(machine, record, call)
    return as_dict(machine, record) if name == "_asdict" else TOP


def _replace(machine: Machine, call: Call) -> Value:
    """`dataclasses.replace(record, field=value)`."""
    record = _record(call)
    return TOP if record is None else replaced(machine, record, call)


def _as_dict(machine: Machine, call: Call) -> Value:
    """`dataclasses.asdict(record)`; records in its fields are kept."""
    record = _record(call)
    return TOP if record is None else as_dict(machine, record)


def _as_tuple(machine: Machine, call: Call) -> Value:
    record = _record(call)
    return TOP if record is None else machine.adopt(Container("tuple", record.cells.values()))


def _fields(machine: Machine, call: Call) -> Value:
    """`dataclasses.fields(record)`: objects with the names of the fields."""
    match call.first:
        case Reference(target=Class() as of) | Reference(target=Instance(of=Class() as of)):
            return machine.adopt(Container("tuple", [_field(machine, name, call) for name in fields_of(of)]))
        case _:
            return TOP


def _field(machine: Machine, name: str, call: Call) -> Value:
    made = Instance(NAMESPACE, call.site)
    made.cells["name"] = Known(name)
    return machine.adopt(made)


def _declared(machine: Machine, call: Call) -> Value:
    """`dataclasses.field(default_factory=list)`, `pydantic.Field(3)`, `attrs.field(factory=list)`: what the
    declaration of a field says."""
    made = Instance("dataclasses.Field", call.site)
    for each in call.passed:
        made.arguments[_ALIASES.get(each.keyword, each.keyword)] = each.value
    return machine.adopt(made)


_ALIASES = {"": "default", "factory": "default_factory"}


def _record(call: Call) -> Instance | None:
    match call.first:
        case Reference(target=Instance(of=Class()) as record):
            return record
        case _:
            return None


RECORDS: dict[str, Handler] = {
    "dataclasses.replace": _replace,
    "dataclasses.asdict": _as_dict,
    "dataclasses.astuple": _as_tuple,
    **dict.fromkeys(
        ("dataclasses.field", "pydantic.Field", "attrs.field", "attr.field", "attr.ib"), _declared
    ),
    "dataclasses.fields": _fields,
}
"""The functions, by canonical name."""
