"""Built-in functions that create, iterate over or reduce sequences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from devlint.model import Cause
from devlint.operators import find
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.option_values import Option
from devlint.source.machine.domain.values import (
    AVAILABLE,
    BOOL,
    INT,
    NONE,
    SCALAR,
    TOP,
    Known,
    Method,
    NoAccelerator,
    Object,
    Reference,
    Scalar,
    Tensor,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.derived_containers import is_dict
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, GeneratorObject, Instance
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.operators import availability
from devlint.source.machine.operators.accelerator import devices_counted
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.operators.shapes import size_at
from devlint.source.machine.operators.waits import note_index_read, note_wait

_LONGEST_RANGE = 8
"""A range of at most this many numbers is expanded."""


def _slice(machine: Machine, call: Call) -> Value:
    """`slice(start, stop, step)`, equal to `start:stop:step`."""
    bounds = [NONE, *call.values] if len(call.values) == 1 else call.values
    return Method(machine.adopt(Container("tuple", [*bounds, NONE, NONE, NONE][:3])), "slice")


def _range(machine: Machine, call: Call) -> Value:
    bounds = call.values
    for each in call.passed:
        note_index_read(machine, each)
    plain = [each.value for each in bounds if isinstance(each, Known) and isinstance(each.value, int)]
    counter = Scalar("int", counter=True)
    if len(bounds) == 1 and isinstance(bounds[0], Scalar) and bounds[0].availability:
        count = devices_counted(machine)
        return machine.adopt(Container("range", [Known(each) for each in range(count)]))
    if len(plain) == len(bounds) and 1 <= len(plain) <= 3 and not (len(plain) == 3 and not plain[2]):
        numbers = range(*plain)
        if len(numbers) <= _LONGEST_RANGE:
            option = next((each.key for each in bounds if isinstance(each, Option)), None)
            made = (Known(each) if option is None else Option(each, option) for each in numbers)
            return machine.adopt(Container("range", made))
    most = bounds[0].most if len(bounds) == 1 and isinstance(bounds[0], Scalar) else None
    return machine.adopt(Container("range", element=changed(counter, most=most)))


def _lazily(name: str) -> Handler:
    """`enumerate` and similar functions, which keep their iterables for the loop over the result."""

    def handler(machine: Machine, call: Call) -> Value:
        made = Instance(f"builtins.{name}", call.site)
        for at, each in enumerate(call.passed):
            made.arguments[each.keyword or str(at)] = each.value
        return machine.adopt(made)

    return handler


def _sequence(kind: str) -> Handler:
    def handler(machine: Machine, call: Call) -> Value:
        if not call.passed:
            return machine.adopt(Container(kind))
        listed = call.first.target if isinstance(call.first, Reference) else None
        if isinstance(listed, Container) and listed.kind in ("list", "tuple"):
            machine.read(listed)
            return machine.adopt(Container(kind, listed.items, listed.element))
        elements = machine.elements(call.first, call.frame, call.node)
        if elements.exact:
            return machine.adopt(Container(kind, elements.items))
        one = join_all(elements.items)
        return machine.adopt(Container(kind, [one] * elements.some, one))

    return handler


def _dict(machine: Machine, call: Call) -> Value:
    made = Container("dict")
    for each in call.passed:
        held = each.value
        if each.keyword:
            made.cells[each.keyword] = held
        elif isinstance(held, Reference) and isinstance(held.target, Container):
            if held.target.kind == "dict":
                made.cells.update(held.target.cells)
            else:
                _add_pairs(made, held.target)
        elif isinstance(held, Reference) and is_dict(held.target):
            made.cells.update(held.target.cells)
        elif isinstance(held, Reference) and isinstance(held.target, Instance):
            for pair in machine.elements(held, call.frame, call.node).items:
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


def _len(machine: Machine, call: Call) -> Value:
    held = call.first
    if isinstance(held, Reference) and isinstance(held.target, Container) and held.target.exact:
        return Known(held.target.length)
    if isinstance(held, Known) and isinstance(held.value, str):
        return Known(len(held.value))
    if (
        isinstance(held, Reference)
        and isinstance(held.target, Container)
        and held.target.kind in ("list", "tuple")
    ):
        return Scalar("int", least=held.target.length)
    if isinstance(held, Tensor):
        return size_at(held, Known(0))
    if isinstance(held, Input):
        held.has_dimensions = True
    own = machine.method_of(held, "__len__")
    if own is not None:
        return machine.call(own, call.passing([]))
    return INT


def _sum(machine: Machine, call: Call) -> Value:
    """Python's `sum`, which adds from the left, starting with 0."""
    held = call.first
    if isinstance(held, Tensor):
        operator = find("torch.sum")
        return TOP if operator is None else apply(machine, call.site, operator, call.passed[:1])
    elements = machine.elements(held, call.frame, call.node)
    return _added(machine, elements.items, call) if elements.items else INT


def _added(machine: Machine, items: list[Value], call: Call) -> Value:
    result, written = items[0], call.passed[0]
    operator = find("torch.Tensor.__add__")
    for each in items[1:]:
        if isinstance(result, Tensor) and operator is not None:
            operands = [written._replace(value=result), written._replace(value=each)]
            result = apply(machine, call.site, operator, operands)
    if isinstance(result, Known):
        return SCALAR
    return result


def _next(machine: Machine, call: Call) -> Value:
    if not call.passed:
        return TOP
    own = machine.method_of(call.first, "__next__")
    if own is not None:
        return machine.call(own, call.passing([]))
    elements = machine.elements(call.first, call.frame, call.node)
    loop = machine.execution.loop
    if elements.drew and loop is not None and _target(call) not in loop.turn.iterators:
        loop.drew = True
    is_first = elements.exact and not _is_generator(call.first)
    return join_all(elements.items[:1] if is_first else elements.items)


def _is_generator(held: Value) -> bool:
    """Whether it may have been drawn from before."""
    return isinstance(held, Reference) and isinstance(held.target, GeneratorObject)


def _iter(machine: Machine, call: Call) -> Value:
    if not call.passed:
        return TOP
    own = machine.method_of(call.first, "__iter__")
    if own is not None:
        return machine.call(own, call.passing([]))
    target, loop = _target(call), machine.execution.loop
    if target is not None and loop is not None:
        loop.turn.iterators.add(target)
    return call.first


def _target(call: Call) -> Object | None:
    """The object that is iterated over."""
    return call.first.target if isinstance(call.first, Reference) else None


def _map(machine: Machine, call: Call) -> Value:
    if len(call.passed) < 2:
        return TOP
    mapped = call.passed[1:]
    columns = [machine.elements(each.value, call.frame, call.node) for each in mapped]
    exact = all(each.exact for each in columns)
    rows = list(zip(*(each.items for each in columns), strict=False)) if exact else []
    if not exact:
        rows = [tuple(join_all(each.items) for each in columns)]
    results = [
        machine.call(call.first, call.passing(_with_values(mapped, row))) for row in rows[:_LONGEST_RANGE]
    ]
    if exact and len(rows) <= _LONGEST_RANGE:
        return machine.adopt(Container("list", results))
    return machine.adopt(Container("list", element=join_all(results)))


def _with_values(passed: Sequence[Passed], values: Iterable[Value]) -> list[Passed]:
    return [each._replace(value=value) for each, value in zip(passed, values, strict=False)]


def _filter(machine: Machine, call: Call) -> Value:
    """`filter(test, held)`, which leaves out what the test, or its own truth value, certainly refuses."""
    if len(call.passed) != 2:
        return TOP
    test, held = call.passed
    elements = machine.elements(held.value, call.frame, call.node)
    exact, items = elements.exact, []
    for each in elements.items:
        asked = held._replace(value=each)
        said = each if test.value == NONE else machine.call(test.value, call.passing([asked]))
        _note_test(machine, call, said, held)
        passes = machine.truth(said)
        exact = exact and passes is not None
        if passes is not False:
            items.append(each)
    made = Container("list", items) if exact else Container("list", element=join_all(items))
    return machine.adopt(made)


def _reduced(*, by: bool) -> Handler:
    """`any` and `all`, which stop at the first element that decides."""

    def handler(machine: Machine, call: Call) -> Value:
        if not call.passed:
            return BOOL
        elements = machine.elements(call.first, call.frame, call.node)
        for item in elements.items:
            _note_test(machine, call, item, call.passed[0])
        truths = {_truth(each) for each in elements.items}
        asks = next((each for each in elements.items if availability.asks(each)), None)
        if (elements.exact or elements.some) and by in truths:
            return Known(by) if asks is None or not by else AVAILABLE
        return BOOL if not truths <= {not by} else Known(not by) if asks is None or by else AVAILABLE

    return handler


def _note_test(machine: Machine, call: Call, item: Value, held: Passed) -> None:
    """Record that the host waits for a tensor that is tested."""
    for each in alternatives(item):
        if isinstance(each, Tensor):
            note_wait(machine, call.site, "torch.Tensor.__bool__", Cause.BRANCH, each, held, "self")


def _truth(held: Value) -> bool | None:
    """A truth value that is certain. Options may differ, and a flag has to remain one."""
    if held == AVAILABLE:
        return True
    return bool(held.value) if type(held) in (Known, NoAccelerator) and isinstance(held, Known) else None


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
    "next": _next,
    "iter": _iter,
    "map": _map,
    "filter": _filter,
    "any": _reduced(by=True),
    "all": _reduced(by=False),
}
"""The functions, by their names in Python."""
