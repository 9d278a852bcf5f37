"""Iteration over values."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.inputs import Input, one_of_many
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import (
    NONE,
    STRING,
    TOP,
    Array,
    Known,
    Method,
    Object,
    Reference,
    Scalar,
    Tensor,
    Union,
    Value,
    changed,
)
from devlint.source.machine.heap.derived_containers import as_dict, as_list, is_dict, is_list
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Call, Frame
from devlint.source.machine.heap.keys import any_key, value_of_key
from devlint.source.machine.heap.machine import Elements
from devlint.source.machine.heap.objects import Container, GeneratorObject, Instance
from devlint.source.machine.library import data, numpy_results
from devlint.source.machine.modules.packed_sequences import PACKED_SEQUENCE
from devlint.source.machine.modules.parts import attribute_as_module, is_opaque, submodule
from devlint.source.machine.modules.state import is_module
from devlint.source.machine.transfer.execution_context import before_turns
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.loops import widened
from devlint.source.machine.transfer.paths import chosen_by, devices_of
from devlint.source.walk import Node, once_a_node, text, walk

NOTHING_KNOWN = Elements([TOP], exact=False)
_IRREGULAR = (ir.Leave, ir.Match, ir.Return, ir.Try, ir.While, ir.With)
"""Statements by which a generator may skip a `yield`, or reach one any number of times."""


def elements(
    machine: Interpreter, iterable: Value, frame: Frame, node: ir.Expression | ir.Statement
) -> Elements:
    """The elements of a value."""
    match iterable:
        case Reference(target=target):
            return _of_object(machine, target, iterable, frame, node)
        case Tensor():
            row = iterable.shape[1:] if iterable.shape else None
            one = changed(
                iterable,
                rank0=None if row is None else not row,
                shape=row,
                role="",
                element=True,
                serial=new_serial(),
                born=machine.execution.loop,
                attribute="",
            )
            return Elements([one], exact=False)
        case Input():
            return Elements([one_of_many(iterable, machine.execution.loop)], exact=False)
        case Union(alternatives=members):
            several = [elements(machine, each, frame, node) for each in members if each != NONE]
            return _of_several(_told_apart(machine, several, frame, node))
        case Known(value=str()) | Scalar(type="str"):
            return Elements([STRING], exact=False)
        case Array():
            return Elements([numpy_results.each_of(iterable)], exact=False)
        case Method() if (part := attribute_as_module(machine, iterable)) is not iterable:
            return elements(machine, part, frame, node)
        case _:
            return NOTHING_KNOWN


def _told_apart(
    machine: Interpreter, several: list[Elements], frame: Frame, node: ir.Expression | ir.Statement
) -> list[Elements]:
    """The elements of the alternatives of a union. Those of one alternative do not meet those of another, if
    the alternatives' tensors lie on different devices."""
    places = [set().union(*map(devices_of, each.items)) for each in several]
    if len(places) != 2 or not all(places) or places[0] == places[1]:
        return several
    machine.has_outcomes = True
    which = "the first alternative", frame.site(node), frame.number
    return [
        each._replace(items=[chosen_by(one, {which: at == 0}) for one in each.items])
        for at, each in enumerate(several)
    ]


def _of_several(several: list[Elements]) -> Elements:
    """The elements of a union: if all alternatives have the same length, they are joined position by
    position."""
    drew = any(each.drew for each in several)
    if several and all(each.exact for each in several) and len({len(each.items) for each in several}) == 1:
        columns = zip(*(each.items for each in several), strict=True)
        return Elements([join_all(column) for column in columns], exact=True, drew=drew)
    items = [join_all(each.items) for each in several if each.items]
    return Elements([join_all(items)], exact=False, drew=drew)


def _of_object(
    machine: Interpreter, target: Object, iterable: Value, frame: Frame, node: ir.Expression | ir.Statement
) -> Elements:
    machine.read(target)
    match target:
        case Container():
            return _of_container(target)
        case GeneratorObject():
            return _of_generator(machine, target, frame, node)
        case Instance():
            return _of_instance(machine, target, iterable, frame, node)
        case Class() if "enum" in target.marks:
            return NOTHING_KNOWN
        case _:
            return NOTHING_KNOWN


def _of_container(held: Container) -> Elements:
    if held.kind == "dict":
        keys = [value_of_key(key) for key in held.keys] if held.exact else [any_key(held)]
        return Elements(keys, exact=held.exact)
    if held.exact:
        return Elements(held.items, exact=True)
    return Elements([join_all(held.cells.values())], exact=False, some=held.length > 0)


def _of_generator(
    machine: Interpreter, held: GeneratorObject, frame: Frame, node: ir.Expression | ir.Statement
) -> Elements:
    yields, drew = machine.run_generator(held, frame, node)
    if yields.exact and yields.items and not drew and not _is_irregular(held.function.node):
        return Elements(yields.items, exact=True)
    values = list(yields.cells.values())
    return Elements([_any_of(machine, values) if values else TOP], exact=False, drew=drew)


@once_a_node
def _is_irregular(generator: ir.FunctionDef | ir.Lambda) -> bool:
    """Whether a generator may end early, or yields in a loop over `range(…)`, so that the number of its
    elements is a setting, as a number of steps is."""
    body = generator.body if isinstance(generator.body, tuple) else ()
    return any(isinstance(each, _IRREGULAR) or _counts(each) for each in walk(body))


def _counts(loop: Node) -> bool:
    """Whether it is a loop over `range(…)` that yields."""
    return (
        isinstance(loop, ir.For)
        and isinstance(loop.iterable, ir.CallExpression)
        and text(loop.iterable.function) == "range"
        and any(isinstance(each, ir.Yield) for each in walk(loop.body))
    )


def _any_of(machine: Interpreter, values: list[Value]) -> Value:
    """The join of several values: tuples of one length are joined position by position."""
    rows = [
        each.target.items
        for each in values
        if isinstance(each, Reference) and isinstance(each.target, Container) and _is_row(each.target)
    ]
    if len(rows) < len(values) or len({len(row) for row in rows}) > 1:
        return join_all(values)
    return machine.adopt(Container("tuple", [join_all(column) for column in zip(*rows, strict=True)]))


def _is_row(held: Container) -> bool:
    return held.kind == "tuple" and held.exact


def _of_instance(
    machine: Interpreter, held: Instance, iterable: Value, frame: Frame, node: ir.Expression | ir.Statement
) -> Elements:
    expression = node.iterable if isinstance(node, ir.For) else node
    assert not isinstance(expression, ir.Statement)
    own = machine.method_of(iterable, "__iter__")
    if own is not None:
        with before_turns(machine, frame):
            iterator = machine.call(own, Call([], frame, expression))
        following = machine.method_of(iterator, "__next__")
        if following is not None:
            return Elements([_in_any_turn(machine, following, Call([], frame, expression))], exact=False)
        return NOTHING_KNOWN if iterator == iterable else elements(machine, iterator, frame, node)
    name = held.class_name
    if name in _LAZY:
        return _LAZY[name](machine, held, frame, node)
    externals = (name,) if isinstance(held.of, str) else held.of.externals
    if data.is_loader(externals):
        return data.draw(machine, held, frame, node)
    if is_opaque(held):
        return Elements([submodule(machine, held)], exact=False)
    if is_module(held):
        children: list[Value] = [
            Known(key) if "ModuleDict" in name and isinstance(key, str) else each
            for key, each in held.cells.items()
        ]
        return Elements(children, exact=True)
    is_record = "namedtuple" in held.of.marks if isinstance(held.of, Class) else held.of == PACKED_SEQUENCE
    if is_record:
        return Elements([each for key, each in held.cells.items() if isinstance(key, str)], exact=True)
    if is_dict(held):
        return _of_container(as_dict(held))
    if is_list(held):
        return _of_container(as_list(held))
    if machine.method_of(iterable, "__getitem__") is not None or data.is_dataset(externals):
        return Elements([data.element_of(machine, iterable, frame, expression)], exact=False)
    return NOTHING_KNOWN


def _in_any_turn(machine: Interpreter, following: Value, call: Call) -> Value:
    """What `__next__` gives in any turn: called once more, if a call changes what the next one finds, unless
    that one ends the iteration."""
    machine.store.begin()
    first = machine.call(following, call)
    later = machine.call(following, call) if widened(machine, machine.store.keep()) else TOP
    return first if later == TOP else later


def _enumerated(
    machine: Interpreter, held: Instance, frame: Frame, node: ir.Expression | ir.Statement
) -> Elements:
    inner = elements(machine, held.arguments.get("0", held.arguments.get("iterable", TOP)), frame, node)
    start = held.arguments.get("1", held.arguments.get("start", Known(0)))
    if inner.exact and isinstance(start, Known) and isinstance(start.value, int):
        numbers: list[Value] = [Known(start.value + at) for at in range(len(inner.items))]
    else:
        numbers = [Scalar("int", counter=True)] * len(inner.items)
    pairs = [
        machine.adopt(Container("tuple", [number, item]))
        for number, item in zip(numbers, inner.items, strict=True)
    ]
    return Elements(pairs, inner.exact, inner.drew)


def _zipped(
    machine: Interpreter, held: Instance, frame: Frame, node: ir.Expression | ir.Statement
) -> Elements:
    columns = [
        elements(machine, each, frame, node) for key, each in held.arguments.items() if key != "strict"
    ]
    drew = any(each.drew for each in columns)
    known = [len(each.items) for each in columns if each.exact]
    if known and (not drew or len(known) == len(columns)):
        # A sequence of unknown length is presumed to be as long as the others.
        count = min(known)
        full = [each.items if each.exact else [_any(each)] * count for each in columns]
        rows = [machine.adopt(Container("tuple", row)) for row in zip(*full, strict=False)]
        return Elements(rows, exact=True, drew=drew)
    return Elements([machine.adopt(Container("tuple", map(_any, columns)))], exact=False, drew=drew)


def _any(column: Elements) -> Value:
    return join_all(column.items) if column.items else TOP


def _reversed(
    machine: Interpreter, held: Instance, frame: Frame, node: ir.Expression | ir.Statement
) -> Elements:
    inner = elements(machine, held.arguments.get("0", TOP), frame, node)
    return Elements(inner.items[::-1], inner.exact, inner.drew)


_LAZY = {
    "builtins.enumerate": _enumerated,
    "builtins.zip": _zipped,
    "builtins.reversed": _reversed,
}
