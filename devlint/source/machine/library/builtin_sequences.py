"""Built-in functions that make sequences, walk over them, and reduce them."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import Cause
from devlint.operators import find
from devlint.source import ir
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import (
    BOOL,
    INT,
    NONE,
    SCALAR,
    TOP,
    Known,
    Method,
    Reference,
    Scalar,
    Tensor,
    Value,
    tensor_of,
)
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.modules.calls import SEVERAL_DEVICES
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.operators.waits import note_wait

_LONGEST_RANGE = 8
"""A range of up to so many numbers is spelled out."""


def _slice(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """`slice(start, stop, step)`, as `start:stop:step` gives it."""
    given = [each.value for each in passed]
    bounds = [NONE, *given] if len(given) == 1 else given
    return Method(machine.adopt(Container("tuple", [*bounds, NONE, NONE, NONE][:3])), "slice")


def _range(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    bounds = [each.value for each in passed]
    for each in passed:
        _number_wanted(machine, each)
    plain = [each.value for each in bounds if isinstance(each, Known) and isinstance(each.value, int)]
    counter = Scalar("int", counter=True)
    if len(bounds) == 1 and isinstance(bounds[0], Scalar) and bounds[0].availability:
        machine.ask(SEVERAL_DEVICES)
        count = 2 if machine.world.get(SEVERAL_DEVICES) else 1
        return machine.adopt(Container("range", [Known(each) for each in range(count)]))
    if len(plain) == len(bounds) and 1 <= len(plain) <= 3 and not (len(plain) == 3 and not plain[2]):
        numbers = range(*plain)
        if len(numbers) <= _LONGEST_RANGE:
            return machine.adopt(Container("range", [Known(each) for each in numbers]))
    return machine.adopt(Container("range", element=counter))


def _number_wanted(machine: Machine, passed: Passed) -> None:
    """Note that a tensor is read where Python wants a number."""
    if isinstance(passed.value, Tensor):
        note_wait(
            machine, passed.site, "torch.Tensor.__index__", Cause.HIDDEN_READ, passed.value, passed, "self"
        )


def _lazily(name: str) -> Handler:
    """`enumerate` and its kin keep what they walk over, for the loop that does it."""

    def handler(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
        made = Instance(f"builtins.{name}", frame.site(node))
        for at, each in enumerate(passed):
            made.arguments[each.keyword or str(at)] = each.value
        return machine.adopt(made)

    return handler


def _sequence(kind: str) -> Handler:
    def handler(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
        if not passed:
            return machine.adopt(Container(kind))
        elements = machine.elements(passed[0].value, frame, node)
        if elements.exact:
            return machine.adopt(Container(kind, elements.items))
        return machine.adopt(Container(kind, element=join_all(elements.items)))

    return handler


def _dict(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    made = Container("dict")
    for each in passed:
        held = each.value
        if each.keyword:
            made.cells[each.keyword] = held
        elif isinstance(held, Reference) and isinstance(held.target, Container):
            if held.target.kind == "dict":
                made.cells.update(held.target.cells)
            else:
                _add_pairs(made, held.target)
        elif isinstance(held, Reference) and isinstance(held.target, Instance):
            for pair in machine.elements(held, frame, node).items:
                if isinstance(pair, Reference) and isinstance(pair.target, Container):
                    made.cells.update(_pair(pair.target))
    return machine.adopt(made)


def _add_pairs(made: Container, pairs: Container) -> None:
    for each in pairs.cells.values():
        if isinstance(each, Reference) and isinstance(each.target, Container):
            made.cells.update(_pair(each.target))


def _pair(held: Container) -> dict[object, Value]:
    if held.length != 2:
        return {"<element>": TOP}
    key, value = held.items
    return {key.value if isinstance(key, Known) else "<element>": value}


def _len(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    held = passed[0].value if passed else TOP
    if isinstance(held, Reference) and isinstance(held.target, Container) and held.target.exact:
        return Known(held.target.length)
    if isinstance(held, Known) and isinstance(held.value, str):
        return Known(len(held.value))
    own = machine.method_of(held, "__len__")
    if own is not None:
        return machine.call(own, [], frame, node)
    return INT


def _sum(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """Python's `sum` adds from the left, beginning with 0."""
    held = passed[0].value if passed else TOP
    if isinstance(held, Tensor):
        operator = find("torch.sum")
        return TOP if operator is None else apply(machine, frame.site(node), operator, passed[:1])
    elements = machine.elements(held, frame, node)
    return (
        _folded(machine, elements.items, "torch.Tensor.__add__", passed[0], frame, node)
        if elements.items
        else INT
    )


def _folded(
    machine: Machine, items: list[Value], name: str, written: Passed, frame: Frame, node: ir.Expression
) -> Value:
    result = items[0]
    operator = find(name)
    for each in items[1:]:
        if isinstance(result, Tensor) and operator is not None:
            given = [written._replace(value=result), written._replace(value=each)]
            result = apply(machine, frame.site(node), operator, given)
    if isinstance(result, Known):
        return SCALAR
    return result


def _extreme(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """`max(a, b)` compares, and reads what tensors say."""
    items = [each.value for each in passed if not each.keyword]
    if len(items) == 1:
        items = machine.elements(items[0], frame, node).items
    tensors = [
        tensor for each in items if (tensor := tensor_of(each)) is not None and isinstance(each, Tensor)
    ]
    for tensor in tensors[:1]:
        note_wait(machine, frame.site(node), "torch.Tensor.__bool__", Cause.BRANCH, tensor, passed[0], "self")
    if items and all(isinstance(each, Known) for each in items):
        return SCALAR if len({type(each.value) for each in items if isinstance(each, Known)}) > 1 else INT
    return join_all(items)


def _next(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    if not passed:
        return TOP
    own = machine.method_of(passed[0].value, "__next__")
    if own is not None:
        return machine.call(own, [], frame, node)
    elements = machine.elements(passed[0].value, frame, node)
    if elements.drew and machine.around.loop is not None:
        machine.around.loop.drew = True
    return join_all(elements.items[:1]) if elements.exact else join_all(elements.items)


def _iter(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    if not passed:
        return TOP
    own = machine.method_of(passed[0].value, "__iter__")
    return passed[0].value if own is None else machine.call(own, [], frame, node)


def _map(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    if len(passed) < 2:
        return TOP
    columns = [machine.elements(each.value, frame, node) for each in passed[1:]]
    exact = all(each.exact for each in columns)
    rows = list(zip(*(each.items for each in columns), strict=False)) if exact else []
    if not exact:
        rows = [tuple(join_all(each.items) for each in columns)]
    results = [
        machine.call(
            passed[0].value,
            [written._replace(value=each) for written, each in zip(passed[1:], row, strict=False)],
            frame,
            node,
        )
        for row in rows[:_LONGEST_RANGE]
    ]
    if exact and len(rows) <= _LONGEST_RANGE:
        return machine.adopt(Container("list", results))
    return machine.adopt(Container("list", element=join_all(results)))


def _filter(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    if len(passed) != 2:
        return TOP
    items = machine.elements(passed[1].value, frame, node).items
    return machine.adopt(Container("list", element=join_all(items)))


def _sorted(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    items = machine.elements(passed[0].value, frame, node).items if passed else []
    return machine.adopt(Container("list", element=join_all(items)))


def _truth_of_all(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    for each in passed[:1]:
        for item in machine.elements(each.value, frame, node).items:
            if isinstance(item, Tensor):
                note_wait(
                    machine, frame.site(node), "torch.Tensor.__bool__", Cause.BRANCH, item, each, "self"
                )
    return BOOL


SEQUENCES: dict[str, Handler] = {
    "range": _range,
    "slice": _slice,
    "enumerate": _lazily("enumerate"),
    "zip": _lazily("zip"),
    "reversed": _lazily("reversed"),
    "list": _sequence("list"),
    "tuple": _sequence("tuple"),
    "set": _sequence("set"),
    "frozenset": _sequence("set"),
    "dict": _dict,
    "len": _len,
    "sum": _sum,
    "max": _extreme,
    "min": _extreme,
    "next": _next,
    "iter": _iter,
    "map": _map,
    "filter": _filter,
    "sorted": _sorted,
    "any": _truth_of_all,
    "all": _truth_of_all,
}
"""By their names in Python."""
