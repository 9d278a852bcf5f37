"""The values of expressions."""

from __future__ import annotations

from devlint.model import SiteId
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join, join_all
from devlint.source.machine.domain.naming import as_kind
from devlint.source.machine.domain.values import (
    BOOL,
    FALSE,
    INT,
    NONE,
    TOP,
    TRUE,
    Imported,
    Known,
    Reference,
    Scalar,
    Tensor,
    Top,
    Union,
    Value,
    alternatives,
)
from devlint.source.machine.heap.derived_containers import is_dict
from devlint.source.machine.heap.files import Function, Scope
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.machine import Elements
from devlint.source.machine.heap.objects import ELEMENT, Container
from devlint.source.machine.library import container_methods
from devlint.source.machine.operators import availability
from devlint.source.machine.operators.apply import all_correlated
from devlint.source.machine.transfer import arithmetic, comparisons, literals, logic
from devlint.source.machine.transfer.assignments import assign
from devlint.source.machine.transfer.branches import fitting, under
from devlint.source.machine.transfer.comprehensions import comprehension
from devlint.source.machine.transfer.definitions import defaults
from devlint.source.machine.transfer.device_choices import chosen_value
from devlint.source.machine.transfer.device_flags import doubt_chosen, where_host_reads
from devlint.source.machine.transfer.dtype_tests import chosen_by_dtype
from devlint.source.machine.transfer.elements import element, slice_of
from devlint.source.machine.transfer.execution_context import in_context, is_added
from devlint.source.machine.transfer.instances import asked_type, has_type
from devlint.source.machine.transfer.interpreter import Evaluators, Interpreter
from devlint.source.machine.transfer.kept_names import note_closure
from devlint.source.machine.transfer.paths import assumed, test_of
from devlint.source.machine.transfer.truth import as_test
from devlint.source.machine.transfer.uses import OF_DICTS, is_key, used_as_dict


def evaluate(machine: Interpreter, node: ir.Expression, frame: Frame) -> Value:
    """The value of an expression."""
    machine.steps += 1
    return machine.evaluators[type(node)](machine, node, frame)


def _name(machine: Interpreter, node: ir.Name, frame: Frame) -> Value:
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
"""The value of a name that may be an import without a use yet, on some path at least."""


def _first_used(machine: Interpreter, scope: Scope, name: str, held: Value) -> Value:
    """The value of an imported name, which is looked up once."""
    members = alternatives(held)
    if not any(isinstance(each, Imported) for each in members):
        return held
    found = join_all(machine.resolved(each) if isinstance(each, Imported) else each for each in members)
    if scope.cells.get(name) is held:
        scope.cells[name] = found
    return found


def _attribute(machine: Interpreter, node: ir.Attribute, frame: Frame) -> Value:
    owner = evaluate(machine, node.value, frame)
    if type(owner) is Union and node.name in OF_DICTS:
        owner = used_as_dict(machine, owner, node.value, frame)
    return machine.attribute(owner, node.name, frame, node)


def _call(machine: Interpreter, node: ir.CallExpression, frame: Frame) -> Value:
    callee = evaluate(machine, node.function, frame)
    return machine.call(callee, Call(arguments(machine, node, frame), frame, node))


def arguments(machine: Interpreter, node: ir.CallExpression, frame: Frame) -> list[Passed]:
    """The arguments of a call; `*args` and `**kwargs` are expanded if their elements are known."""
    passed: list[Passed] = []
    base = frame.file.base
    for argument in node.arguments:
        expression = argument.value
        value = evaluate(machine, expression, frame)
        site = SiteId(base + expression.id)
        if argument.stars:
            passed += _spread(machine, value, argument, frame, site)
        else:
            passed.append(Passed(value, expression, site, argument.keyword))
    return passed


def _spread(
    machine: Interpreter, value: Value, argument: ir.Argument, frame: Frame, site: SiteId
) -> list[Passed]:
    expression = argument.value
    if argument.stars == 1:
        elements = machine.elements(value, frame, expression)
        if elements.exact:
            return [Passed(each, expression, site) for each in elements.items]
        return [Passed(join_all(elements.items), expression, site, stars=1)]
    match value:
        case Reference(target=held) if isinstance(held, Container) or is_dict(held):
            if ELEMENT not in held.cells:
                return [Passed(each, expression, site, keyword=str(key)) for key, each in held.cells.items()]
    return [Passed(value, expression, site, stars=2)]


def _subscript(machine: Interpreter, node: ir.Subscript, frame: Frame) -> Value:
    owner = evaluate(machine, node.value, frame)
    if type(owner) is Union and is_key(node.indices):
        owner = used_as_dict(machine, owner, node.value, frame)
    indices = [
        Passed(evaluate(machine, each, frame), each, frame.site(each), "indices") for each in node.indices
    ]
    indices = all_correlated(owner, indices)
    receiver = Passed(owner, node.value, frame.site(node.value))
    if type(owner) is not Union:
        return element(machine, owner, receiver, indices, frame, node)
    return join_all(
        element(machine, each, receiver._replace(value=each), indices, frame, node)
        for each in owner.alternatives
        if each != NONE
    )


def _starred(machine: Interpreter, node: ir.Starred, frame: Frame) -> Value:
    return evaluate(machine, node.value, frame)


def _binary(machine: Interpreter, node: ir.Binary, frame: Frame) -> Value:
    left = evaluate(machine, node.left, frame)
    right = evaluate(machine, node.right, frame)
    return arithmetic.binary(machine, node, left, right, frame)


def _unary(machine: Interpreter, node: ir.Unary, frame: Frame) -> Value:
    if node.operator == "not":
        return logic.negated(test_of(machine, node.operand, frame))
    held = evaluate(machine, node.operand, frame)
    return arithmetic.unary(machine, node, held, frame)


def _boolean(machine: Interpreter, node: ir.Boolean, frame: Frame) -> Value:
    left = evaluate(machine, node.left, frame)
    left_test = as_test(machine, left, node.left, frame)
    truth = machine.truth(left_test)
    if truth is None and (machine.assumed or machine.chosen):
        truth = assumed(machine, node.left, frame)
    wants = node.operator == "and"
    frame.arrived_behind.pop(node.id, None)
    if isinstance(left_test, Scalar) and left_test.flag:
        then, orelse = ((node.right,), ()) if wants else ((), (node.right,))
        machine.decides(left_test.flag, logic.guarded(left_test, then, orelse))
    if truth is not None and truth is not wants:
        return left
    if truth is wants:
        with in_context(machine, added=is_added(machine, left_test, ())):
            right = evaluate(machine, node.right, frame)
        return right if logic.asks_for_place(node.left) else logic.carry(left_test, right)
    periodic = isinstance(left_test, Scalar) and left_test.periodic == (1 if wants else -1)
    arrived = machine.store.arrived
    with under(machine, node.left, frame, taken=wants), in_context(machine, periodic=periodic):
        right = evaluate(machine, node.right, frame)
        right_test = as_test(machine, right, node.right, frame) if wants or periodic else right
    frame.arrived_behind[node.id], machine.store.arrived = machine.store.arrived, arrived
    if isinstance(left_test, Scalar) and left_test.type == "bool":
        if any(isinstance(each, Tensor) for each in alternatives(right_test)):
            return join(TRUE, right_test)  # who uses the result may test it
        return logic.combined(node.operator, left_test, right_test)
    if wants and right_test == FALSE and (isinstance(left, Top) or _is_truth_value(left)):
        return FALSE
    if wants:
        return right if isinstance(left, (Scalar, Known, Reference)) else join(left, right)
    kept = [each for each in alternatives(left) if machine.truth(each) is not False]
    return join_all([*kept, right])


def _is_truth_value(held: Value) -> bool:
    return isinstance(held, Input) and held.boolean is True


def _compare(machine: Interpreter, node: ir.Compare, frame: Frame) -> Value:
    asked = asked_type(node)
    if asked is not None:
        answer = has_type(evaluate(machine, asked.of, frame), evaluate(machine, asked.classes, frame))
        return BOOL if answer is None else Known(answer is asked.wanted)
    left_node, left = node.left, evaluate(machine, node.left, frame)
    results: list[Value] = []
    for operator, right_node in node.rest:
        right = evaluate(machine, right_node, frame)
        results.append(
            comparisons.compare(machine, node, operator, (left_node, left), (right_node, right), frame)
        )
        left_node, left = right_node, right
    # `a < b < c` is `a < b and b < c`: it tests each result but the last one.
    tests = [as_test(machine, each, node, frame) for each in results[:-1]]
    truths = [machine.truth(each) for each in (*tests, *results[-1:])]
    if len(results) == 1 or (isinstance(results[-1], Tensor) and False not in truths):
        return results[-1]
    if all(truth is True for truth in truths):
        return Known(value=True)
    return Known(value=False) if any(truth is False for truth in truths) else Scalar("bool")


def _conditional(machine: Interpreter, node: ir.Conditional, frame: Frame) -> Value:
    test = test_of(machine, node.test, frame)
    truth = machine.truth(test)
    if isinstance(test, Scalar) and test.flag:
        machine.decides(test.flag, logic.guarded(test, (node.then,), (node.orelse,)))
    if truth is not None:
        guarded = availability.asks(test)
        chooses = guarded and availability.places((node.then, node.orelse))
        availability.asked(machine, test, frame.site(node.test), goes_on=True, chooses=chooses)
        machine.guarded += guarded
        kept, other = (node.then, node.orelse) if truth else (node.orelse, node.then)
        context = in_context(machine, added=is_added(machine, test, (other,)))
        with where_host_reads(machine, node.test, frame, (other,)), context:
            chosen = evaluate(machine, kept, frame)
        machine.guarded -= guarded
        return as_kind(chosen) if guarded and truth else chosen
    periodic = test.periodic if isinstance(test, Scalar) else 0
    arrived = machine.store.arrived
    with (
        under(machine, node.test, frame, taken=True),
        in_context(machine, periodic=periodic == 1),
        where_host_reads(machine, node.test, frame, (node.orelse,)),
    ):
        then = evaluate(machine, node.then, frame)
    arrived, machine.store.arrived = machine.store.arrived, arrived
    with (
        under(machine, node.test, frame, taken=False),
        in_context(machine, periodic=periodic == -1),
        where_host_reads(machine, node.test, frame, (node.then,)),
    ):
        orelse = evaluate(machine, node.orelse, frame)
    machine.store.arrived &= arrived
    then, orelse = doubt_chosen(machine, node.test, frame, then, orelse)
    then, orelse = chosen_by_dtype(machine, node.test, frame, then, orelse)
    accelerator = chosen_value(machine, node.test, then, orelse, frame)
    if accelerator is not None:
        return accelerator
    either = (
        fitting(machine, node.test, node.then, then, frame, taken=True),
        fitting(machine, node.test, node.orelse, orelse, frame, taken=False),
    )
    return join_all(each for each in either if each is not None)


def _lambda(machine: Interpreter, node: ir.Lambda, frame: Frame) -> Value:
    made = Function(node, frame.scope, frame.file, "<lambda>", defaults(machine, node.parameters, frame))
    note_closure(made, frame)
    return machine.adopt(made)


def _walrus(machine: Interpreter, node: ir.Walrus, frame: Frame) -> Value:
    held = evaluate(machine, node.value, frame)
    assign(machine, node.target, held, frame)
    return held


def _await(machine: Interpreter, node: ir.Await, frame: Frame) -> Value:
    return evaluate(machine, node.value, frame)


def _yield(machine: Interpreter, node: ir.Yield, frame: Frame) -> Value:
    held = NONE if node.value is None else evaluate(machine, node.value, frame)
    if node.delegates:
        elements = machine.elements(held, frame, node)
        if frame.yields is not None:
            container_methods.extend(machine, frame.yields, elements)
    elif frame.at_yield is not None:
        frame.at_yield(held)
    elif frame.yields is not None and machine.optional > frame.branches:
        container_methods.extend(machine, frame.yields, Elements([held], exact=False))
    elif frame.yields is not None:
        container_methods.add(machine, frame.yields, held)
    return TOP


def _dots(machine: Interpreter, node: ir.Dots, frame: Frame) -> Value:
    return INT


EVALUATORS: Evaluators = {
    ir.Name: _name,
    ir.Constant: literals.constant,
    ir.Format: literals.formatted_text,
    ir.Attribute: _attribute,
    ir.CallExpression: _call,
    ir.Slice: slice_of,
    ir.Subscript: _subscript,
    ir.Starred: _starred,
    ir.Sequence: literals.sequence,
    ir.Mapping: literals.mapping,
    ir.Binary: _binary,
    ir.Unary: _unary,
    ir.Boolean: _boolean,
    ir.Compare: _compare,
    ir.Conditional: _conditional,
    ir.Comprehension: comprehension,
    ir.Lambda: _lambda,
    ir.Walrus: _walrus,
    ir.Await: _await,
    ir.Yield: _yield,
    ir.Dots: _dots,
}
"""The functions that evaluate each kind of expression."""
