"""What statements do to the state, and how they end."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from devlint.operators import find
from devlint.source import ir
from devlint.source.machine.domain.lattice import alike, join, join_all, widen
from devlint.source.machine.domain.values import (
    NONE,
    TOP,
    External,
    Known,
    Reference,
    Scalar,
    Tensor,
    Union,
    Value,
    changed,
    new_serial,
)
from devlint.source.machine.heap.machine import Frame, Passed
from devlint.source.machine.heap.objects import ELEMENT, Class, Container, Instance, Scope
from devlint.source.machine.heap.store import Changes
from devlint.source.machine.library import container_methods, environment
from devlint.source.machine.operators import pinning
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.transfer import contexts, definitions
from devlint.source.machine.transfer.arithmetic import numbers, operation
from devlint.source.machine.transfer.branches import ends_in_error, narrow, test_of
from devlint.source.machine.transfer.machine import Machine
from devlint.source.machine.transfer.surroundings import looping, surrounded

_UNROLLED = 8
"""An exact sequence of up to so many elements is walked over element by element."""
_TURNS = 2
"""How often the body of a loop is run whose turns are not known one by one."""


class End(Enum):
    """How a statement ends."""

    NEXT = "the next statement runs"
    RETURN = "the function returns"
    RAISE = "an error is raised"
    BREAK = "the loop is left"
    CONTINUE = "the next turn begins"


def run_block(machine: Machine, block: ir.Block, frame: Frame) -> End:
    """Run statements up to the first that does not lead to the next."""
    periodic = machine.around.periodic
    for statement in block:
        end = run(machine, statement, frame)
        if end is not End.NEXT:
            machine.around.periodic = periodic
            return end
    machine.around.periodic = periodic
    return End.NEXT


def run(machine: Machine, statement: ir.Statement, frame: Frame) -> End:
    """Run one statement."""
    machine.steps += 1
    frame.statement = statement
    return _RUN[type(statement)](machine, statement, frame)


def _assign(machine: Machine, node: ir.Assign, frame: Frame) -> End:
    held = machine.evaluate(node.value, frame)
    frame.statement = node
    if node.annotation is not None and frame.scope.owner is not None and isinstance(node.targets[0], ir.Name):
        _declare(frame.scope.owner, node.targets[0].name)
    for target in node.targets:
        assign(machine, target, held, frame, node.value)
    return End.NEXT


def _annotation(machine: Machine, node: ir.Annotation, frame: Frame) -> End:
    owner = frame.scope.owner
    if owner is not None and isinstance(node.target, ir.Name):
        _declare(owner, node.target.name)
    return End.NEXT


def _declare(owner: Class, name: str) -> None:
    """Note a field that a class body declares."""
    if name not in owner.fields:
        owner.fields.append(name)


def assign(
    machine: Machine, target: ir.Expression, held: Value, frame: Frame, value: ir.Expression | None = None
) -> None:
    """`target = held`."""
    match target:
        case ir.Name(name=name):
            machine.store.write(frame.scope.home(name), name, held)
        case ir.Attribute(value=owner, name=name):
            owners = machine.evaluate(owner, frame)
            machine.set_attribute(owners, name, held, frame, target if value is None else value)
        case ir.Subscript():
            _assign_element(machine, target, held, frame, value)
        case ir.Sequence(elements=elements):
            _unpack(machine, elements, held, frame, value)
        case ir.Starred(value=inner):
            assign(machine, inner, held, frame)
        case _:
            pass


def _unpack(
    machine: Machine,
    targets: tuple[ir.Expression, ...],
    held: Value,
    frame: Frame,
    value: ir.Expression | None,
) -> None:
    if value is None and not targets:
        return
    elements = machine.elements(held, frame, targets[0] if value is None else value)
    starred = next((at for at, each in enumerate(targets) if isinstance(each, ir.Starred)), None)
    if not elements.exact or (starred is None and len(elements.items) != len(targets)):
        rest = join_all(elements.items)
        for target in targets:
            one = machine.adopt(Container("list", element=rest)) if isinstance(target, ir.Starred) else rest
            assign(machine, target, one, frame)
        return
    items: list[Value] = list(elements.items)
    if starred is not None:
        end = len(items) - (len(targets) - starred - 1)
        items[starred:end] = [machine.adopt(Container("list", items[starred:end]))]
    for target, item in zip(targets, items, strict=False):
        assign(machine, target, item, frame)


def _assign_element(
    machine: Machine, target: ir.Subscript, held: Value, frame: Frame, value: ir.Expression | None
) -> None:
    """`owner[indices] = held`."""
    owner = machine.evaluate(target.value, frame)
    indices = [
        Passed(machine.evaluate(each, frame), each, frame.site(each), "indices") for each in target.indices
    ]
    for each in owner.alternatives if isinstance(owner, Union) else (owner,):
        _store_element(machine, each, target, indices, held, frame, value)


def _store_element(
    machine: Machine,
    owner: Value,
    target: ir.Subscript,
    indices: list[Passed],
    held: Value,
    frame: Frame,
    value: ir.Expression | None,
) -> None:
    index = indices[0].value if len(indices) == 1 else TOP
    match owner:
        case Tensor():
            operator = find("torch.Tensor.__setitem__")
            assert operator is not None
            written = target if value is None else value
            receiver = Passed(owner, target.value, frame.site(target.value))
            given = Passed(held, written, frame.site(written), "value")
            apply(machine, frame.site(target), operator, [receiver, *indices, given])
            if machine.around.loop is not None:
                update(machine, target.value, changed(owner, born=machine.around.loop), frame)
        case Reference(target=Container() as container):
            if isinstance(index, Known) and (container.exact or index.value in container.cells):
                key = index.value
                if container.kind != "dict" and isinstance(key, int) and key < 0:
                    key += container.length
                if container_methods.keeps_apart(machine, container) or key in container.cells:
                    machine.store.write(container, key, held)
                    return
            before = container.element
            machine.store.write(container, ELEMENT, held if before is None else join(before, held))
        case Reference(target=Instance() as instance):
            own = machine.method_of(owner, "__setitem__")
            if own is not None:
                given = Passed(held, target, frame.site(target))
                machine.call(own, [*(each._replace(keyword="") for each in indices), given], frame, target)
            else:
                key = index.value if isinstance(index, Known) else ELEMENT
                machine.store.write(instance, key, held)
        case External(name=environment.ENVIRONMENT):
            written = target if value is None else value
            environment.set_variable(
                machine, frame.site(target), index, Passed(held, written, frame.site(written))
            )
        case _:
            pass


def update(machine: Machine, place: ir.Expression, held: Value, frame: Frame) -> None:
    """Let a name or an attribute hold the same tensor as it is by now."""
    if isinstance(place, ir.Name):
        scope = frame.scope.home(place.name)
        if place.name in scope.cells:
            machine.store.write(scope, place.name, held)
    elif isinstance(place, ir.Attribute):
        owner = machine.evaluate(place.value, frame)
        if isinstance(owner, Reference) and place.name in owner.target.cells:
            machine.store.write(owner.target, place.name, held)


def _augmented(machine: Machine, node: ir.AugmentedAssign, frame: Frame) -> End:
    held = machine.evaluate(node.target, frame)
    value = machine.evaluate(node.value, frame)
    left = Passed(held, node.target, frame.site(node.target))
    right = Passed(value, node.value, frame.site(node.value))
    results = [
        _augmented_one(machine, node, left._replace(value=each), right, frame)
        for each in (held.alternatives if isinstance(held, Union) else (held,))
    ]
    assign(machine, node.target, join_all(results), frame, node.value)
    return End.NEXT


def _augmented_one(
    machine: Machine, node: ir.AugmentedAssign, left: Passed, right: Passed, frame: Frame
) -> Value:
    held, value = left.value, right.value
    if isinstance(held, Known | Scalar) and isinstance(value, Known | Scalar):
        result = numbers(machine, node.operator, held, value)
        in_loop = machine.around.loop is not None and machine.around.loop.turns is None
        counts = in_loop and isinstance(result, Known) and isinstance(result.value, int | float)
        return (
            Scalar(type(result.value).__name__, counter=True)
            if counts and isinstance(result, Known)
            else result
        )
    if isinstance(held, Tensor):
        operator = find(f"torch.Tensor.__i{node.operator}__")
        if operator is not None:
            result = apply(machine, frame.site(node.target), operator, [left, right])
            return changed(result, born=machine.around.loop) if isinstance(result, Tensor) else result
    if isinstance(held, Reference) and isinstance(held.target, Container) and node.operator == "add":
        container_methods.extend(machine, held.target, machine.elements(value, frame, node.value))
        return held
    return operation(machine, node.operator, (left, right), frame, node.value)


def _evaluate(machine: Machine, node: ir.Evaluate, frame: Frame) -> End:
    machine.evaluate(node.value, frame)
    return End.RAISE if machine.exited() else End.NEXT


def _return(machine: Machine, node: ir.Return, frame: Frame) -> End:
    frame.returns.append(NONE if node.value is None else machine.evaluate(node.value, frame))
    return End.RETURN


def _raise(machine: Machine, node: ir.Raise, frame: Frame) -> End:
    if node.value is not None:
        rare, machine.around.rare = machine.around.rare, True
        machine.evaluate(node.value, frame)
        machine.around.rare = rare
    return End.RAISE


def _assert(machine: Machine, node: ir.Assert, frame: Frame) -> End:
    test_of(machine, node.test, frame)
    narrow(machine, node.test, frame, taken=True)
    return End.NEXT


def _delete(machine: Machine, node: ir.Delete, frame: Frame) -> End:
    for target in node.targets:
        if isinstance(target, ir.Name):
            machine.store.write(frame.scope.home(target.name), target.name, None)
        elif isinstance(target, ir.Attribute):
            owner = machine.evaluate(target.value, frame)
            if isinstance(owner, Reference):
                machine.store.write(owner.target, target.name, None)
    return End.NEXT


def _leave(machine: Machine, node: ir.Leave, frame: Frame) -> End:
    return End.BREAK if node.keyword == "break" else End.CONTINUE


def _outer(machine: Machine, node: ir.Outer, frame: Frame) -> End:
    for name in node.names:
        scope: Scope | None = frame.file.scope
        if not node.is_global:
            scope = frame.scope.outer
            while scope is not None and name not in scope.cells:
                scope = scope.outer
        if scope is not None and scope is not frame.scope:
            frame.scope.redirected[name] = scope
    return End.NEXT


def _if(machine: Machine, node: ir.If, frame: Frame) -> End:
    test = test_of(machine, node.test, frame)
    truth = machine.truth(test)
    if isinstance(test, Scalar) and test.flag and truth is not None:
        machine.decides(test.flag, (*node.then, *node.orelse))
    if truth is not None:
        guarded = isinstance(test, Scalar) and test.availability
        machine.guarded += guarded
        pinning.asked(machine, test, goes_on=not ends_in_error(machine, node.orelse, frame))
        block = node.then if truth else node.orelse
        with surrounded(machine, periodic=_is_periodic(test, taken=truth)):
            narrow(machine, node.test, frame, taken=truth)
            end = run_block(machine, block, frame)
        machine.guarded -= guarded
        return end
    then_end, then = _path(machine, node.test, node.then, frame, test, taken=True)
    else_end, orelse = _path(machine, node.test, node.orelse, frame, test, taken=False)
    end = _meet(machine, (then_end, then), (else_end, orelse), frame)
    if end is End.NEXT:
        _rest_is_periodic(machine, test, then_end, else_end)
    return end


def _is_periodic(test: Value, *, taken: bool) -> bool:
    return isinstance(test, Scalar) and test.periodic == (1 if taken else -1)


def _rest_is_periodic(machine: Machine, test: Value, then_end: End, else_end: End) -> None:
    """What follows `if step % 100: continue` runs every hundredth time only."""
    if then_end is not End.NEXT and _is_periodic(test, taken=False):
        machine.around.periodic = True
    if else_end is not End.NEXT and _is_periodic(test, taken=True):
        machine.around.periodic = True


def _path(
    machine: Machine, test: ir.Expression, block: ir.Block, frame: Frame, held: Value, *, taken: bool
) -> tuple[End, Changes]:
    """Run one branch from the present state, and take its changes back."""
    machine.store.begin()
    rare = ends_in_error(machine, block, frame)
    with surrounded(machine, periodic=_is_periodic(held, taken=taken), rare=rare):
        narrow(machine, test, frame, taken=taken)
        end = run_block(machine, block, frame)
    return end, machine.store.end()


def _meet(machine: Machine, left: tuple[End, Changes], right: tuple[End, Changes], frame: Frame) -> End:
    """The state where two paths meet. A path that raises does not come here; one that returns or leaves the
    loop takes its local names with it, but what it did to objects stays."""
    (one, then), (other, orelse) = left, right
    if one is End.RAISE:
        machine.store.apply(orelse)
        return other
    if other is End.RAISE:
        machine.store.apply(then)
        return one
    if one is End.RETURN and other is not End.RETURN:
        machine.store.merge(orelse, then, local=frame.scope)
        return other
    if other is End.RETURN and one is not End.RETURN:
        machine.store.merge(then, orelse, local=frame.scope)
        return one
    machine.store.merge(then, orelse)
    if one is other:
        return one
    return End.NEXT


def _for(machine: Machine, node: ir.For, frame: Frame) -> End:
    iterable = machine.evaluate(node.iterable, frame)
    with looping(machine, node, None, frame) as loop:
        elements = machine.elements(iterable, frame, node.iterable)
        loop.drew = loop.drew or elements.drew
        exact = elements.exact and len(elements.items) <= _UNROLLED
        items = elements.items if exact else [join_all(elements.items)] * _TURNS
        loop.turns = len(elements.items) if elements.exact else None
        end = _turn(machine, node, frame, items, exact=exact) if elements.items else End.NEXT
    return run_block(machine, node.orelse, frame) if end is End.NEXT else end


def _turn(machine: Machine, node: ir.For | ir.While, frame: Frame, items: list[Value], *, exact: bool) -> End:
    """Run the body once for each item; a loop of unknown turns until nothing changes any more."""
    for item in items:
        if not exact:
            machine.store.begin()
        if isinstance(node, ir.For):
            assign(machine, node.target, drawn(machine, item), frame)
        end = run_block(machine, node.body, frame)
        changes = {} if exact else machine.store.keep()
        if end in (End.RETURN, End.RAISE):
            return end if exact or isinstance(node, ir.While) else End.NEXT
        if end is End.BREAK:
            break
        if not exact and not _widened(machine, changes):
            break
        if machine.is_exhausted():
            break
    return End.NEXT


def drawn(machine: Machine, item: Value) -> Value:
    """What a turn of the innermost loop draws: another one in each turn, whenever it was made."""
    loop = machine.around.loop
    match item:
        case Tensor():
            return changed(item, born=loop, serial=new_serial())
        case Union(alternatives=members):
            return Union(tuple(drawn(machine, each) for each in members))
        case Reference(target=Container() as held) if held.kind in ("tuple", "list") and _holds_tensors(held):
            twin = Container(held.kind)
            twin.cells = {key: drawn(machine, each) for key, each in held.cells.items()}
            return machine.adopt(twin) if held.kind == "tuple" else item
        case Reference(target=Instance() as instance):
            instance.drawn = loop
            return item
        case _:
            return item


def _holds_tensors(held: Container) -> bool:
    return any(isinstance(each, Tensor | Reference | Union) for each in held.cells.values())


def _widened(machine: Machine, changes: Changes) -> bool:
    """Widen what a turn has changed; whether another turn can find something else."""
    differs = False
    for target, key, before, after in changes.values():
        if before is None or after is None or alike(before, after):
            continue
        wide = widen(before, after)
        if not alike(wide, after):
            machine.store.write(target, key, wide)
        differs = True
    return differs


def _while(machine: Machine, node: ir.While, frame: Frame) -> End:
    with looping(machine, node, None, frame):
        test = test_of(machine, node.test, frame)
        if machine.truth(test) is False and not isinstance(test, Tensor):
            return run_block(machine, node.orelse, frame)
        narrow(machine, node.test, frame, taken=True)
        end = _turn(machine, node, frame, [TOP] * _TURNS, exact=False)
        if end is End.NEXT and not isinstance(node.test, ir.Constant):
            test_of(machine, node.test, frame)
        return end


def _try(machine: Machine, node: ir.Try, frame: Frame) -> End:
    machine.store.begin()
    end = run_block(machine, node.body, frame)
    if end is End.NEXT:
        end = run_block(machine, node.orelse, frame)
    body = machine.store.end()
    paths = [(end, body)]
    for handler in node.handlers:
        machine.store.begin()
        with surrounded(machine, rare=True):
            if handler.name:
                machine.store.write(frame.scope, handler.name, TOP)
            handled = run_block(machine, handler.body, frame)
        paths.append((handled, machine.store.end()))
    end, changes = paths[0]
    for other_end, other in paths[1:]:
        if end is End.RAISE or other_end is not End.NEXT or end is not End.NEXT:
            if end is End.RAISE:
                end, changes = other_end, other
            continue
        changes = _both(changes, other)
    machine.store.apply(changes)
    final = run_block(machine, node.final, frame)
    return final if final is not End.NEXT else end


def _both(left: Changes, right: Changes) -> Changes:
    """The changes of two paths that meet."""
    merged: Changes = {}
    for place in {**left, **right}:
        target, key, before, _ = left.get(place) or right[place]
        one = left[place][3] if place in left else before
        other = right[place][3] if place in right else before
        joined = one if other is None else other if one is None else join(one, other)
        merged[place] = (target, key, before, joined)
    return merged


def _with(machine: Machine, node: ir.With, frame: Frame) -> End:
    return contexts.run_with(machine, node, frame, lambda: run_block(machine, node.body, frame))


def _match(machine: Machine, node: ir.Match, frame: Frame) -> End:
    held = machine.evaluate(node.subject, frame)
    end: End | None = None
    changes: Changes = {}
    for case in node.cases:
        machine.store.begin()
        for name in case.names:
            machine.store.write(frame.scope.home(name), name, held if len(case.names) == 1 else TOP)
        if case.guard is not None:
            test_of(machine, case.guard, frame)
        case_end = run_block(machine, case.body, frame)
        own = machine.store.end()
        if end is None or end is End.RAISE:
            end, changes = case_end, own
        elif case_end is not End.RAISE:
            changes = _both(changes, own)
            end = end if end is case_end else End.NEXT
    machine.store.apply(changes)
    return End.NEXT if end is None else end


def _function(machine: Machine, node: ir.Function, frame: Frame) -> End:
    definitions.define_function(machine, node, frame)
    return End.NEXT


def _class(machine: Machine, node: ir.Class, frame: Frame) -> End:
    definitions.define_class(machine, node, frame)
    return End.NEXT


def _import(machine: Machine, node: ir.Import, frame: Frame) -> End:
    machine.run_import(node, frame)
    return End.NEXT


_RUN: dict[type, Callable[[Any, Any, Frame], End]] = {
    ir.Assign: _assign,
    ir.Annotation: _annotation,
    ir.AugmentedAssign: _augmented,
    ir.Evaluate: _evaluate,
    ir.Return: _return,
    ir.Raise: _raise,
    ir.Assert: _assert,
    ir.Delete: _delete,
    ir.Leave: _leave,
    ir.Outer: _outer,
    ir.If: _if,
    ir.For: _for,
    ir.While: _while,
    ir.Try: _try,
    ir.With: _with,
    ir.Match: _match,
    ir.Function: _function,
    ir.Class: _class,
    ir.Import: _import,
}
