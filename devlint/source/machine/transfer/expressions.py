"""The values of expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devlint.model import Cause, SiteId
from devlint.operators import find
from devlint.source import ir
from devlint.source.machine.domain.lattice import join, join_all
from devlint.source.machine.domain.values import (
    INT,
    NONE,
    STRING,
    TOP,
    Array,
    External,
    Imported,
    Input,
    Known,
    Method,
    Reference,
    Scalar,
    Tensor,
    Union,
    Value,
    alternatives,
    as_kind,
    changed,
    new_serial,
    tensor_of,
)
from devlint.source.machine.heap.machine import Frame, Passed
from devlint.source.machine.heap.objects import ELEMENT, Class, Container, Function, Instance, Scope
from devlint.source.machine.library import external_objects
from devlint.source.machine.library.formatting import formatted
from devlint.source.machine.modules.state import is_module
from devlint.source.machine.operators import pinning
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.operators.waits import note_wait
from devlint.source.machine.reporting.loops import Loop
from devlint.source.machine.transfer import arithmetic, comparisons
from devlint.source.machine.transfer.branches import test_of, under
from devlint.source.machine.transfer.definitions import defaults
from devlint.source.machine.transfer.machine import Machine
from devlint.source.machine.transfer.surroundings import surrounded
from devlint.source.machine.transfer.truth import as_test

_UNROLLED = 8
"""An exact sequence of up to so many elements is walked over element by element."""


def evaluate(machine: Machine, node: ir.Expression, frame: Frame) -> Value:
    """The value of an expression."""
    machine.steps += 1
    return _EVALUATE[type(node)](machine, node, frame)


def _name(machine: Machine, node: ir.Name, frame: Frame) -> Value:
    scope = frame.scope
    name = node.name
    held = scope.cells.get(name)
    if held is not None and name not in scope.redirected:
        return _first_used(machine, scope, name, held) if type(held) in _MAY_BE_IMPORTED else held
    redirected = scope.redirected.get(name)
    held = redirected.look_up(name) if redirected is not None else None
    outer = scope.outer
    while held is None and outer is not None:
        if outer.owner is None:
            held = outer.cells.get(name)
        if held is not None:
            machine.read(outer)
            if type(held) in _MAY_BE_IMPORTED:
                return _first_used(machine, outer, name, held)
        outer = outer.outer
    if held is not None:
        return machine.resolved(held) if type(held) is Imported else held
    return machine.builtin(name, frame)


_MAY_BE_IMPORTED = (Imported, Union)
"""What may be a name that was imported and not used yet, on some path at least."""


def _first_used(machine: Machine, scope: Scope, name: str, held: Value) -> Value:
    """What an imported name stands for; it is looked up once."""
    members = alternatives(held)
    if not any(isinstance(each, Imported) for each in members):
        return held
    found = join_all(machine.resolved(each) if isinstance(each, Imported) else each for each in members)
    if scope.cells.get(name) is held:
        scope.cells[name] = found
    return found


def _constant(machine: Machine, node: ir.Constant, frame: Frame) -> Value:
    return Known(node.value)


def _format(machine: Machine, node: ir.Format, frame: Frame) -> Value:
    spelled = ""
    known = True
    for part in node.parts:
        if isinstance(part, str):
            spelled += part if known else ""
            continue
        held = evaluate(machine, part, frame)
        formatted(machine, held, Passed(held, part, frame.site(part)))
        if isinstance(held, Known) and isinstance(held.value, str | int) and known:
            spelled += str(held.value)
        else:
            known = False
    return Known(spelled) if known else Scalar("str", text=spelled)


def _attribute(machine: Machine, node: ir.Attribute, frame: Frame) -> Value:
    owner = evaluate(machine, node.value, frame)
    return machine.attribute(owner, node.name, frame, node)


def _call(machine: Machine, node: ir.Call, frame: Frame) -> Value:
    callee = evaluate(machine, node.function, frame)
    return machine.call(callee, arguments(machine, node, frame), frame, node)


def arguments(machine: Machine, node: ir.Call, frame: Frame) -> list[Passed]:
    """The arguments of a call; `*args` and `**kwargs` are spread out where their elements are known."""
    passed: list[Passed] = []
    for argument in node.arguments:
        value = evaluate(machine, argument.value, frame)
        site = frame.site(argument.value)
        if argument.stars:
            passed += _spread(machine, value, argument, frame, site)
        else:
            passed.append(Passed(value, argument.value, site, argument.keyword))
    return passed


def _spread(
    machine: Machine, value: Value, argument: ir.Argument, frame: Frame, site: SiteId
) -> list[Passed]:
    expression = argument.value
    if argument.stars == 1:
        elements = machine.elements(value, frame, expression)
        if elements.exact:
            return [Passed(each, expression, site) for each in elements.items]
        return [Passed(join_all(elements.items), expression, site, stars=1)]
    if isinstance(value, Reference) and isinstance(value.target, Container) and value.target.exact:
        return [Passed(each, expression, site, keyword=str(key)) for key, each in value.target.cells.items()]
    return [Passed(value, expression, site, stars=2)]


def _subscript(machine: Machine, node: ir.Subscript, frame: Frame) -> Value:
    owner = evaluate(machine, node.value, frame)
    indices = [
        Passed(evaluate(machine, each, frame), each, frame.site(each), "indices") for each in node.indices
    ]
    receiver = Passed(owner, node.value, frame.site(node.value))
    return join_all(
        element(machine, each, receiver._replace(value=each), indices, frame, node)
        for each in alternatives(owner)
        if each != NONE or owner == NONE
    )


def element(
    machine: Machine,
    owner: Value,
    receiver: Passed,
    indices: list[Passed],
    frame: Frame,
    node: ir.Expression,
) -> Value:
    """`owner[indices]`."""
    match owner:
        case Tensor():
            operator = find("torch.Tensor.__getitem__")
            assert operator is not None
            result = apply(machine, frame.site(node), operator, [receiver, *indices])
            return _rank_of_element(machine, owner, result, indices)
        case Input() if any(isinstance(each.value, Tensor) for each in indices):
            tensor = tensor_of(owner)
            return TOP if tensor is None else element(machine, tensor, receiver, indices, frame, node)
        case Input():
            return Input(
                owner.name,
                owner.device,
                owner.confidence,
                owner.origin,
                evident=owner.evident,
                pinned=owner.pinned,
                born=machine.around.loop if any(_may_change(each.value) for each in indices) else owner.born,
                presumed=owner.presumed,
            )
        case Reference(target=Container() as held):
            machine.read(held)
            return _of_container(machine, held, indices[0].value if len(indices) == 1 else TOP)
        case Reference(target=Instance() as instance):
            return _of_instance(machine, instance, owner, indices, frame, node)
        case Reference(target=Class()) | External():
            return owner
        case Array():
            return owner
        case Known(value=str()) | Scalar():
            return STRING
        case _:
            return TOP


def _rank_of_element(machine: Machine, owner: Tensor, result: Value, indices: list[Passed]) -> Value:
    """A slice keeps dimensions; a number takes one away, of how many is not known."""
    if not isinstance(result, Tensor):
        return result
    keeps = any(isinstance(each.expression, ir.Slice) or each.value == NONE for each in indices)
    indexed = any(isinstance(each.value, Tensor) and each.value.rank0 is False for each in indices)
    rank0 = False if keeps or indexed else None
    changes = any(_may_change(each.value) for each in indices)
    return changed(
        result,
        rank0=rank0,
        element=owner.element or (len(indices) == 1 and _counts(indices[0].value)),
        boolean=owner.boolean,
        born=machine.around.loop if changes else owner.born,
        serial=new_serial(),
    )


def _counts(index: Value) -> bool:
    """Whether an index counts the turns of a loop, which so walks over the elements."""
    return isinstance(index, Scalar) and index.counter


def _may_change(index: Value) -> bool:
    """Whether an index may be another one in the next turn of a loop."""
    if isinstance(index, Method) and isinstance(index.receiver, Reference):
        return any(map(_may_change, index.receiver.target.cells.values()))
    return not isinstance(index, Known)


def _of_container(machine: Machine, held: Container, index: Value) -> Value:
    if isinstance(index, Known):
        key = index.value
        if held.kind != "dict" and isinstance(key, int) and key < 0 and held.exact:
            key += held.length
        found = held.cells.get(key)
        if found is not None:
            return found
        rest = held.element
        if rest is None and held.kind == "dict":
            return TOP
        return rest if rest is not None else join_all(held.items)
    if isinstance(index, Method):  # a slice; see `_slice`
        return machine.adopt(_sliced(held, index))
    return join_all(held.cells.values())


def _sliced(held: Container, index: Method) -> Container:
    bounds = index.receiver
    items = held.items
    if held.exact and isinstance(bounds, Reference) and isinstance(bounds.target, Container):
        lower, upper, step = (each.value if isinstance(each, Known) else "" for each in bounds.target.items)
        if all(each is None or isinstance(each, int) for each in (lower, upper, step)):
            return Container(held.kind, items[slice(lower, upper, step)])  # type: ignore[arg-type]
    if not held.cells:
        return Container(held.kind)
    return Container(held.kind, element=join_all(held.cells.values()))


def _of_instance(
    machine: Machine,
    instance: Instance,
    owner: Value,
    indices: list[Passed],
    frame: Frame,
    node: ir.Expression,
) -> Value:
    own = machine.method_of(owner, "__getitem__")
    if own is not None:
        return machine.call(own, _as_one_index(machine, indices), frame, node)
    machine.read(instance)
    if is_module(instance):
        index = indices[0].value if indices else TOP
        if isinstance(index, Known):
            key = index.value
            children = [each for name, each in instance.cells.items() if isinstance(name, int | str)]
            if isinstance(key, int) and -len(children) <= key < len(children):
                return children[key]
            return instance.cells.get(key, TOP)
        return join_all(instance.cells.values()) if not isinstance(index, Method) else owner
    return external_objects.element(machine, instance, indices, frame, node)


def _as_one_index(machine: Machine, indices: list[Passed]) -> list[Passed]:
    plain = [each._replace(keyword="") for each in indices]
    if len(plain) == 1:
        return plain
    held = machine.adopt(Container("tuple", [each.value for each in plain]))
    return [plain[0]._replace(value=held)]


def _slice(machine: Machine, node: ir.Slice, frame: Frame) -> Value:
    bounds = [
        NONE if each is None else evaluate(machine, each, frame)
        for each in (node.lower, node.upper, node.step)
    ]
    for each, expression in zip(bounds, (node.lower, node.upper, node.step), strict=True):
        tensor = each if isinstance(each, Tensor) else None
        if tensor is not None and expression is not None:
            site = frame.site(expression)
            passed = Passed(tensor, expression, site)
            note_wait(machine, site, "torch.Tensor.__index__", Cause.HIDDEN_READ, tensor, passed, "self")
    return Method(machine.adopt(Container("tuple", bounds)), "slice")


def _starred(machine: Machine, node: ir.Starred, frame: Frame) -> Value:
    return evaluate(machine, node.value, frame)


def _sequence(machine: Machine, node: ir.Sequence, frame: Frame) -> Value:
    items: list[Value] = []
    rest: Value | None = None
    for each in node.elements:
        if isinstance(each, ir.Starred):
            spread = machine.elements(evaluate(machine, each.value, frame), frame, each)
            if spread.exact and rest is None:
                items += spread.items
            else:
                rest = join_all([*spread.items, *([] if rest is None else [rest])])
        elif rest is None:
            items.append(evaluate(machine, each, frame))
        else:
            rest = join(rest, evaluate(machine, each, frame))
    kind = node.shape.value
    if rest is not None:
        return machine.adopt(Container(kind, element=join_all([*items, rest])))
    return machine.adopt(Container(kind, items))


def _mapping(machine: Machine, node: ir.Mapping, frame: Frame) -> Value:
    made = Container("dict")
    reference = machine.adopt(made)
    for key, value in node.items:
        held = evaluate(machine, value, frame)
        if key is None:
            if isinstance(held, Reference) and isinstance(held.target, Container):
                made.cells.update(held.target.cells)
            else:
                made.cells[ELEMENT] = TOP
            continue
        name = evaluate(machine, key, frame)
        if isinstance(name, Known):
            made.cells[name.value] = held
        else:
            before = made.cells.get(ELEMENT)
            made.cells[ELEMENT] = held if before is None else join(before, held)
    return reference


def _binary(machine: Machine, node: ir.Binary, frame: Frame) -> Value:
    left = evaluate(machine, node.left, frame)
    right = evaluate(machine, node.right, frame)
    return arithmetic.binary(machine, node, left, right, frame)


def _unary(machine: Machine, node: ir.Unary, frame: Frame) -> Value:
    if node.operator == "not":
        return comparisons.negated(test_of(machine, node.operand, frame))
    held = evaluate(machine, node.operand, frame)
    return arithmetic.unary(machine, node, held, frame)


def _boolean(machine: Machine, node: ir.Boolean, frame: Frame) -> Value:
    left = evaluate(machine, node.left, frame)
    left_test = as_test(machine, left, node.left, frame)
    truth = machine.truth(left_test)
    wants = node.operator == "and"
    if isinstance(left_test, Scalar) and left_test.flag:
        machine.decides(left_test.flag, (node.right,))
    if truth is not None and truth is not wants:
        return left
    if truth is wants:
        right = evaluate(machine, node.right, frame)
        return comparisons.carry(left_test, right)
    periodic = isinstance(left_test, Scalar) and left_test.periodic == (1 if wants else -1)
    with under(machine, node.left, frame, taken=wants), surrounded(machine, periodic=periodic):
        right = evaluate(machine, node.right, frame)
        right_test = as_test(machine, right, node.right, frame) if wants or periodic else right
    if isinstance(left_test, Scalar) and left_test.type == "bool":
        return comparisons.combined(node.operator, left_test, right_test)
    if wants:
        return right if isinstance(left, Scalar | Known | Reference) else join(left, right)
    kept = [each for each in alternatives(left) if machine.truth(each) is not False]
    return join_all([*kept, right])


def _compare(machine: Machine, node: ir.Compare, frame: Frame) -> Value:
    left_node, left = node.left, evaluate(machine, node.left, frame)
    results: list[Value] = []
    for operator, right_node in node.rest:
        right = evaluate(machine, right_node, frame)
        results.append(
            comparisons.compare(machine, node, operator, (left_node, left), (right_node, right), frame)
        )
        left_node, left = right_node, right
    if len(results) == 1:
        return results[0]
    truths = [machine.truth(each) for each in results]
    if all(truth is True for truth in truths):
        return Known(value=True)
    return Known(value=False) if any(truth is False for truth in truths) else Scalar("bool")


def _conditional(machine: Machine, node: ir.Conditional, frame: Frame) -> Value:
    test = test_of(machine, node.test, frame)
    truth = machine.truth(test)
    if isinstance(test, Scalar) and test.flag:
        machine.decides(test.flag, (node.then, node.orelse))
    if truth is not None:
        guarded = isinstance(test, Scalar) and test.availability
        machine.guarded += guarded
        chosen = evaluate(machine, node.then if truth else node.orelse, frame)
        machine.guarded -= guarded
        pinning.asked(machine, test, goes_on=True)
        return as_kind(chosen) if guarded else chosen
    periodic = test.periodic if isinstance(test, Scalar) else 0
    with under(machine, node.test, frame, taken=True), surrounded(machine, periodic=periodic == 1):
        then = evaluate(machine, node.then, frame)
    with under(machine, node.test, frame, taken=False), surrounded(machine, periodic=periodic == -1):
        orelse = evaluate(machine, node.orelse, frame)
    return join(then, orelse)


def _comprehension(machine: Machine, node: ir.Comprehension, frame: Frame) -> Value:
    scope = Scope(frame.scope, frame.file)
    machine.store.adopt(scope)
    inner = Frame(frame.file, scope, frame.function)
    collected: list[tuple[Value | None, Value]] = []
    exact = _walk_loops(machine, node, node.loops, inner, collected)
    kind = {"generator": "list"}.get(node.shape.value, node.shape.value)
    made = Container(kind)
    reference = machine.adopt(made)
    if exact and kind != "dict":
        made.cells.update(enumerate(each for _, each in collected))
        return reference
    for key, value in collected:
        if exact and isinstance(key, Known):
            made.cells[key.value] = value
        else:
            before = made.cells.get(ELEMENT)
            made.cells[ELEMENT] = value if before is None else join(before, value)
    return reference


def _walk_loops(
    machine: Machine,
    node: ir.Comprehension,
    loops: tuple[ir.Loop, ...],
    frame: Frame,
    collected: list[tuple[Value | None, Value]],
) -> bool:
    """Evaluate the loops of a comprehension from the outermost on; whether each turn is known."""
    if not loops:
        key = None if node.key is None else evaluate(machine, node.key, frame)
        collected.append((key, evaluate(machine, node.element, frame)))
        return True
    loop, *inner = loops
    iterable = evaluate(machine, loop.iterable, frame)
    around = machine.around.loop
    machine.around.loop = Loop(around, frame.site(node), frame=frame)
    elements = machine.elements(iterable, frame, loop.iterable)
    exact = elements.exact and len(elements.items) <= _UNROLLED
    items = elements.items if exact else [join_all(elements.items)] if elements.items else []
    machine.around.loop.turns = len(elements.items) if elements.exact else None
    machine.around.loop.drew = elements.drew
    for item in items:
        machine.assign(loop.target, machine.drawn(item), frame)
        tests = [machine.truth(test_of(machine, each, frame)) for each in loop.conditions]
        if any(test is False for test in tests):
            continue
        exact = exact and all(test is True for test in tests)
        exact = _walk_loops(machine, node, tuple(inner), frame, collected) and exact
    machine.around.loop.left()
    machine.around.loop = around
    return exact


def _lambda(machine: Machine, node: ir.Lambda, frame: Frame) -> Value:
    return machine.adopt(
        Function(node, frame.scope, frame.file, "<lambda>", defaults(machine, node.parameters, frame))
    )


def _walrus(machine: Machine, node: ir.Walrus, frame: Frame) -> Value:
    held = evaluate(machine, node.value, frame)
    machine.assign(node.target, held, frame)
    return held


def _await(machine: Machine, node: ir.Await, frame: Frame) -> Value:
    return evaluate(machine, node.value, frame)


def _yield(machine: Machine, node: ir.Yield, frame: Frame) -> Value:
    held = NONE if node.value is None else evaluate(machine, node.value, frame)
    if node.delegates:
        elements = machine.elements(held, frame, node)
        frame.yields += elements.items
    else:
        frame.yields.append(held)
    return TOP


def _dots(machine: Machine, node: ir.Dots, frame: Frame) -> Value:
    return INT


_EVALUATE: dict[type, Callable[[Any, Any, Frame], Value]] = {
    ir.Name: _name,
    ir.Constant: _constant,
    ir.Format: _format,
    ir.Attribute: _attribute,
    ir.Call: _call,
    ir.Slice: _slice,
    ir.Subscript: _subscript,
    ir.Starred: _starred,
    ir.Sequence: _sequence,
    ir.Mapping: _mapping,
    ir.Binary: _binary,
    ir.Unary: _unary,
    ir.Boolean: _boolean,
    ir.Compare: _compare,
    ir.Conditional: _conditional,
    ir.Comprehension: _comprehension,
    ir.Lambda: _lambda,
    ir.Walrus: _walrus,
    ir.Await: _await,
    ir.Yield: _yield,
    ir.Dots: _dots,
}
