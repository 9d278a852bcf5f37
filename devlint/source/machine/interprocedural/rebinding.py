"""Attributes that a method sets which users of the object may have to call first.

The constructor's value may be a placeholder, so events that depend on it are only possible.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from devlint.model import UNKNOWN, Confidence, is_accelerator
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.naming import device_named
from devlint.source.machine.domain.values import (
    OF_SELF,
    TOP,
    Cells,
    Known,
    Object,
    Reference,
    Tensor,
    Union,
    Value,
    changed,
)
from devlint.source.machine.heap.derived import by_runs, derived
from devlint.source.machine.heap.files import Class, Function
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.interprocedural.inherited import FIRST_HOOKS
from devlint.source.machine.modules import state
from devlint.source.walk import Node, once_a_node, path, text, walk

Method: TypeAlias = ir.FunctionDef | ir.Lambda


class _Methods(NamedTuple):
    """The methods of a class and of its bases by name: the calls and assignments on their own object."""

    callees: dict[str, tuple[str, ...]]
    """The methods that each may call through its own object."""
    bindings: dict[str, frozenset[tuple[str, str]]]
    """The attributes of its own object that each sets, with the text of the value."""
    all_bindings: frozenset[tuple[str, str]]
    moves: dict[str, frozenset[str]]
    """What each moves of what attributes of its own object hold: `net.layer` for `self.net.layer.to(…)`."""


def doubt_placeholders(machine: Machine, instance: Instance, method: str) -> None:
    """Before a method of a module is tried: lower the confidence of values that other methods may have
    replaced by then."""
    _doubt_moved(machine, instance, method)
    for each in state.modules(instance):
        doubtful = [name for run in by_runs(each, _doubtful) for name in run]
        if doubtful and isinstance(each.of, Class):
            bound = _bound_by_other_methods(each.of, method if each is instance else "forward")
            for name in doubtful:
                if name in bound:
                    machine.store.write(each, name, _doubted(each.cells[name], name))


def _doubt_moved(machine: Machine, instance: Instance, method: str) -> None:
    """Lower the confidence of the places of modules that another method moves by hand, because they are no
    parts of the object: those that a plain object holds."""
    if not isinstance(instance.of, Class):
        return
    methods = _methods(instance.of)
    inside = _reachable(methods, ("__init__", "__post_init__", method))
    own = state.modules(instance)
    for name in sorted(frozenset().union(*(methods.moves[each] for each in methods.moves.keys() - inside))):
        module = _at(instance, name)
        for part in () if module is None or module in own else state.modules(module):
            for key, held in list(part.cells.items()):
                if isinstance(held, Tensor) and held.role in state.REGISTERED and not held.origin.was_moved:
                    machine.store.write(part, key, changed(held, confidence=Confidence.POSSIBLE))


def _at(owner: Instance, names: str) -> Instance | None:
    """The module that is found by attributes of an object, one after the other."""
    held: Value = Reference(owner)
    for name in names.split("."):
        target = held.target if isinstance(held, Reference) else None
        held = TOP if target is None else target.cells.get(name, TOP)
    return state.module_of(held)


def movers(instance: Instance) -> Iterator[str]:
    """The methods that most likely move what an object holds: they set its device to their argument, move one
    of its attributes to it, or do nothing but move its attributes to an accelerator."""
    made = instance.of
    for name, functions in _functions(made).items() if isinstance(made, Class) else ():
        if any(_only_moves(function.node) for function in functions):
            yield name
            continue
        found = [each for function in functions for each in _set_to_arguments(function.node)]
        if any(moves or _is_device(instance.cells.get(attribute, TOP)) for attribute, moves in found):
            yield name


@once_a_node
def _set_to_arguments(method: Method) -> tuple[tuple[str, bool], ...]:
    """The attributes of its own object that a method sets to what depends on its arguments, and whether it
    moves them to an argument: `self.x = self.x.to(device)`."""
    names = {each.name for each in method.parameters[1:]}
    return tuple(
        (target.name, _is_moved(target, node.value, names))
        for node in _nodes(method)
        if isinstance(node, ir.Assign) and _is_read(names, node.value)
        for target in node.targets
        if isinstance(target, ir.Attribute) and isinstance(target.value, ir.Name)
    )


def _is_read(names: Container[str], expression: ir.Expression) -> bool:
    return any(isinstance(each, ir.Name) and each.name in names for each in walk((expression,)))


def _is_moved(target: ir.Attribute, value: ir.Expression, names: Container[str]) -> bool:
    """Whether an attribute's new value is its old one, moved to one of some names."""
    nodes = list(walk((value,), into_scopes=True))
    return text(target) in [text(each) for each in nodes if isinstance(each, ir.Attribute)] and any(
        isinstance(each, ir.CallExpression)
        and isinstance(each.function, ir.Attribute)
        and each.function.name in ("to", "cuda")
        and any(_is_read(names, argument.value) for argument in each.arguments)
        for each in nodes
    )


def _is_device(held: Value) -> bool:
    """Whether an attribute names a device; a number, known or computed, most likely counts something."""
    is_number = isinstance(held, Known) and not isinstance(held.value, str)
    is_number = is_number or (isinstance(held, Input) and held.computed_with)
    return not is_number and device_named(held) is not None


@once_a_node
def _only_moves(method: Method) -> bool:
    """Whether a method without arguments moves attributes of its own object to an accelerator, and does
    nothing else."""
    if len(method.parameters) != 1 or not isinstance(method.body, tuple):
        return False
    owner = method.parameters[0].name
    steps = [each for each in _steps(method.body) if not _is_of_no_effect(each, owner)]
    return bool(steps) and all(_puts_on_accelerator(each, owner) for each in steps)


def _steps(block: ir.Block) -> Iterator[ir.Statement]:
    """The statements of a block and of its branches."""
    for each in block:
        if isinstance(each, ir.If):
            yield from _steps(each.then)
            yield from _steps(each.orelse)
        else:
            yield each


def _is_of_no_effect(statement: ir.Statement, owner: str) -> bool:
    """A text, or `return self`."""
    match statement:
        case ir.Evaluate(value=ir.Constant()) | ir.Return(value=None):
            return True
        case ir.Return(value=ir.Name(name=name)):
            return name == owner
        case _:
            return False


def _puts_on_accelerator(statement: ir.Statement, owner: str) -> bool:
    """`self.x.cuda()`, `self.x = self.x.to("cuda")`."""
    match statement:
        case ir.Evaluate(value=ir.CallExpression() as call):
            pass
        case ir.Assign(targets=(target,), value=ir.CallExpression() as call):
            if not isinstance(call.function, ir.Attribute) or text(call.function.value) != text(target):
                return False
        case _:
            return False
    match call.function:
        case ir.Attribute(value=ir.Attribute(value=ir.Name(name=name)), name=move) if name == owner:
            return move == "cuda" or (move == "to" and any(map(_names_accelerator, call.arguments)))
        case _:
            return False


def _names_accelerator(argument: ir.Argument) -> bool:
    held = argument.value
    named = device_named(Known(held.value)) if isinstance(held, ir.Constant) else None
    return named is not None and is_accelerator(named.device)


def properties_that_move(made: Class) -> Iterator[str]:
    """The properties of a class whose setters move the object to the new value."""
    for name, functions in _functions(made).items():
        if name.endswith(_SETTER) and any(map(_moves_to_argument, functions)):
            yield name.removesuffix(_SETTER)


def _moves_to_argument(setter: Function) -> bool:
    names = [each.name for each in setter.node.parameters]
    for node in _nodes(setter.node):
        match node:
            case ir.CallExpression(
                function=ir.Attribute(value=ir.Name(name=receiver), name="to"),
                arguments=(ir.Argument(value=ir.Name(name=argument)), *_),
            ) if [receiver, argument] == names:
                return True
    return False


_SETTER = ".setter"


def _doubtful(cells: Cells) -> list[str]:
    return [
        name for name, held in cells.items() if isinstance(name, str) and _doubted(held, name) is not held
    ]


def _doubted(held: Value, name: str) -> Value:
    if isinstance(held, Union):
        doubted = tuple(_doubted(each, name) for each in held.alternatives)
        return held if all(map(operator.is_, doubted, held.alternatives)) else Union(doubted)
    if isinstance(held, Tensor) and held.role not in state.REGISTERED:
        confidence = least_sure(held.confidence, Confidence.POSSIBLE)
        return held if held.confidence == confidence else changed(held, confidence=confidence)
    if isinstance(held, Known) and isinstance(held.value, str):
        return Input(f"{OF_SELF}{name}", UNKNOWN, Confidence.POSSIBLE)
    return held


def _bound_by_other_methods(made: Class, method: str) -> set[str]:
    """The attributes that another method sets to another value, and that neither the constructor, nor the
    method, nor the methods that they call set to the same one. What frameworks call first counts as the
    constructor does."""
    methods = _methods(made)
    inside = _reachable(methods, ("__init__", "__post_init__", *FIRST_HOOKS, method))
    known = frozenset().union(*(methods.bindings[name] for name in inside))
    return {name for name, _ in methods.all_bindings - known}


def _methods(made: Class) -> _Methods:
    """The calls and assignments of a class's methods, cached until the class or a base changes."""
    kept = derived(made, _kept_methods)
    stamps = tuple(each.stamp for each in made.order if isinstance(each, Class))
    if stamps not in kept:
        functions = _functions(made)
        callees = {name: tuple(_callees(each, functions)) for name, each in functions.items()}
        bindings = {name: frozenset(_bindings(each)) for name, each in functions.items()}
        moves = {name: frozenset(_moves(each)) for name, each in functions.items()}
        kept[stamps] = _Methods(callees, bindings, frozenset().union(*bindings.values()), moves)
    return kept[stamps]


def _kept_methods(_: Object) -> dict[tuple[int, ...], _Methods]:
    return {}


def _functions(made: Class) -> dict[str, list[Function]]:
    """The methods of a class and of its bases, by name."""
    found: defaultdict[str, list[Function]] = defaultdict(list)
    for each in made.order:
        for held in each.cells.values() if isinstance(each, Class) else ():
            function = held.target if isinstance(held, Reference) else None
            if isinstance(function, Function):
                found[function.name].append(function)
                setter = function.cells.get("setter")
                if isinstance(setter, Reference) and isinstance(setter.target, Function):
                    found[f"{function.name}{_SETTER}"].append(setter.target)
    return found


def _reachable(methods: _Methods, first: Iterable[str]) -> set[str]:
    """The methods that some methods call, directly or indirectly, through their own object."""
    found: set[str] = set()
    waiting = [name for name in first if name in methods.callees]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += methods.callees[name]
    return found


def _callees(functions: Iterable[Function], methods: Container[str]) -> Iterator[str]:
    return (name for function in functions for name in _asked(function.node) if name in methods)


@once_a_node
def _asked(method: Method) -> tuple[str, ...]:
    """The names of the attributes that a method reads, and of the setters that it calls."""
    names = {node.name: None for node in _nodes(method) if isinstance(node, ir.Attribute)}
    return tuple(each for name in names for each in (name, f"{name}{_SETTER}"))


def _moves(functions: Iterable[Function]) -> Iterator[str]:
    return (each for function in functions for each in _moved_by_hand(function.node))


@once_a_node
def _moved_by_hand(method: Method) -> tuple[str, ...]:
    """What a method moves of what attributes of its own object hold."""
    found = []
    for node in _nodes(method):
        match node:
            case ir.CallExpression(function=ir.Attribute(name="to" | "cuda", value=ir.Attribute() as moved)):
                owner, _, names = path(moved).partition(".")
                if "." in names and method.parameters and owner == method.parameters[0].name:
                    found.append(names)
    return tuple(found)


def _bindings(functions: Iterable[Function]) -> Iterator[tuple[str, str]]:
    return (each for function in functions for each in _bound(function.node))


@once_a_node
def _bound(method: Method) -> tuple[tuple[str, str], ...]:
    return tuple(
        (target.name, text(node.value))
        for node in _nodes(method)
        if isinstance(node, ir.Assign)
        for target in _bound_by(node.targets)
        if isinstance(target, ir.Attribute) and isinstance(target.value, ir.Name)
    )


def _bound_by(targets: Iterable[ir.Expression]) -> Iterator[Node]:
    """The parts of assigned targets. An item that is stored is written to a tensor, and leaves it where it
    lies; what is set to its `data` replaces it."""
    for each in targets:
        match each:
            case ir.Sequence(elements=elements):
                yield from _bound_by(elements)
            case ir.Starred(value=target):
                yield from _bound_by((target,))
            case ir.Subscript():
                pass
            case _:
                yield from walk((each,))


def _nodes(method: Method) -> Iterator[Node]:
    return walk(method.body if isinstance(method.body, tuple) else ())
