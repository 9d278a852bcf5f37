"""Literal constants, formatted strings, sequences and mappings."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.kinds import kind_of
from devlint.source.machine.domain.lattice import join, join_all
from devlint.source.machine.domain.texts import known_in_part
from devlint.source.machine.domain.values import TOP, DeviceValue, Known, Reference, Scalar, Value, changed
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.objects import ELEMENT, Container
from devlint.source.machine.library.container_methods import collect
from devlint.source.machine.library.formatting import formatted
from devlint.source.machine.transfer.interpreter import Interpreter


def constant(machine: Interpreter, node: ir.Constant, frame: Frame) -> Value:
    """A literal number, string or truth value, or `None`."""
    return Known(node.value)


def formatted_text(machine: Interpreter, node: ir.Format, frame: Frame) -> Value:
    """`f"{value}"`."""
    spelled = ""
    known = True
    values: list[Value] = []
    for part in node.parts:
        if isinstance(part, str):
            spelled += part if known else ""
            continue
        held = machine.evaluate(part, frame)
        values.append(held)
        formatted(machine, held, Passed(held, part, frame.site(part)))
        if isinstance(held, Known) and isinstance(held.value, (str, int)) and known:
            spelled += str(held.value)
        elif part is node.parts[-1] and (device := _numbered(held, spelled)) is not None:
            return changed(device, is_string=True)
        else:
            known = False
    return Known(spelled) if known else known_in_part(spelled, values)


def _numbered(held: Value, spelled: str) -> DeviceValue | None:
    """The device of whose name a value is the ordinal, after the device's type and a colon."""
    named = held.ordinal_of if isinstance(held, Scalar) else None
    return named if named is not None and spelled == f"{kind_of(named.device)}:" else None


def sequence(machine: Interpreter, node: ir.Sequence, frame: Frame) -> Value:
    """`[a, b]`, `(a, b)`, `{a, b}`."""
    items: list[Value] = []
    rest: Value | None = None
    for each in node.elements:
        if isinstance(each, ir.Starred):
            spread = machine.elements(machine.evaluate(each.value, frame), frame, each)
            if spread.exact and rest is None:
                items += spread.items
            else:
                rest = join_all([*spread.items, *([] if rest is None else [rest])])
        elif rest is None:
            items.append(machine.evaluate(each, frame))
        else:
            rest = join(rest, machine.evaluate(each, frame))
    kind = node.shape.value
    if rest is not None:
        return machine.adopt(Container(kind, element=join_all([*items, rest])))
    return machine.adopt(Container(kind, items))


def mapping(machine: Interpreter, node: ir.Mapping, frame: Frame) -> Value:
    """`{key: value}`."""
    made = Container("dict")
    reference = machine.adopt(made)
    for key, value in node.items:
        held = machine.evaluate(value, frame)
        if key is None:
            if isinstance(held, Reference) and isinstance(held.target, Container):
                made.cells.update(held.target.cells)
            else:
                made.cells[ELEMENT] = TOP
            continue
        collect(made, machine.evaluate(key, frame), held)
    return reference
