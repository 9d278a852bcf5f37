"""Comprehensions, and the values that they collect."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import TOP, Value
from devlint.source.machine.heap.files import Scope
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.library.container_methods import collect
from devlint.source.machine.transfer.assignments import assign
from devlint.source.machine.transfer.drawing import drawn, drawn_by_key
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.loops import is_unrolled, names_bound, number_of_turns
from devlint.source.machine.transfer.paths import test_of
from devlint.source.walk import Node


def comprehension(machine: Interpreter, node: ir.Comprehension, frame: Frame) -> Value:
    """`[element for target in iterable if condition]`, and the other comprehensions."""
    scope = Scope(frame.scope, frame.file)
    inner = Frame(frame.file, scope, frame.function)
    collected: list[tuple[Value | None, Value]] = []
    exact, some = _walk_loops(machine, node, node.loops, inner, collected)
    kind = {"generator": "list"}.get(node.shape.value, node.shape.value)
    made = Container(kind)
    reference = machine.adopt(made)
    if exact and kind != "dict":
        made.cells.update(enumerate(each for _, each in collected))
        return reference
    if some and kind == "list" and len(collected) == 1:
        made.cells[0] = collected[0][1]
    for key, value in collected:
        collect(made, TOP if key is None or not exact else key, value)
    return reference


def _walk_loops(
    machine: Interpreter,
    node: ir.Comprehension,
    loops: tuple[ir.CompFor, ...],
    frame: Frame,
    collected: list[tuple[Value | None, Value]],
) -> tuple[bool, bool]:
    """Evaluate the loops of a comprehension, the outermost first. Returns whether each turn is known, and
    whether there is at least one."""
    if not loops:
        key = None if node.key is None else machine.evaluate(node.key, frame)
        collected.append((key, machine.evaluate(node.element, frame)))
        return True, True
    loop, *inner = loops
    iterable = machine.evaluate(loop.iterable, frame)
    around = machine.execution.loop
    machine.execution.loop = Loop(around, frame.site(node), frame=frame)
    elements = machine.elements(iterable, frame, loop.iterable)
    turns = machine.execution.loop.turns = number_of_turns(elements)
    exact = turns is not None and is_unrolled(turns, _body(node, loop, inner))
    items = elements.items if exact else [join_all(elements.items)] if elements.items else []
    draw = drawn_by_key if exact else drawn
    machine.execution.loop.of_expression = True
    machine.execution.loop.names = names_bound(loop)
    machine.execution.loop.drew = elements.drew
    some = (elements.exact or elements.some) and bool(items)
    for item in items:
        assign(machine, loop.target, draw(machine, item), frame)
        tests = [machine.truth(test_of(machine, each, frame)) for each in loop.conditions]
        if any(test is False for test in tests):
            continue
        chosen = all(test is True for test in tests)
        each_known, some_inside = _walk_loops(machine, node, tuple(inner), frame, collected)
        exact, some = exact and chosen and each_known, some and chosen and some_inside
    machine.execution.loop.left()
    machine.execution.loop = around
    return exact, some


def _body(node: ir.Comprehension, loop: ir.CompFor, inner: list[ir.CompFor]) -> tuple[Node, ...]:
    """What each turn of a loop of a comprehension evaluates."""
    kept = (node.element,) if node.key is None else (node.key, node.element)
    return (*loop.conditions, *inner, *kept)
