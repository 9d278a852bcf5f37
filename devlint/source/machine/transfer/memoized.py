"""Branches that provide what their test has missed, for all later calls or turns: they are taken once.

`if self.mask is None: self.mask = …` in a module, `if not self.is_ready: self.prepare(x)`, `if device not in
masks: masks[device] = …`, `if name not in totals: totals[name] = …`, and, in a loop,
`if model is None: model = Model()`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from devlint.source import ir
from devlint.source.machine.domain.lattice import scalar_type
from devlint.source.machine.domain.loops import enclosing
from devlint.source.machine.domain.values import DeviceValue, Known, Reference, Scalar, Value, alternatives
from devlint.source.machine.heap.files import Class, Function
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import BoundMethod, Container, Instance
from devlint.source.machine.modules.state import module_of
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import once_a_node, path, text, walk


def is_taken_once(machine: Interpreter, node: ir.If, frame: Frame, *, taken: bool) -> bool:
    """Whether a branch keeps all that its test may have missed."""
    block, other = (node.then, node.orelse) if taken else (node.orelse, node.then)
    missed = _missed(node.test, taken=taken)
    return bool(missed) and all(
        any(_provides(machine, statement, each, node.test, other, frame) for statement in block)
        for each in missed
    )


def _provides(
    machine: Interpreter,
    statement: ir.Statement,
    missed: ir.Expression,
    test: ir.Expression,
    other: ir.Block,
    frame: Frame,
) -> bool:
    """Whether a statement of a branch sets, for all later calls or turns, what its test has missed."""
    registered = _registered(statement)
    if registered is not None and text(registered) == text(missed):
        return _lasts(machine, registered, frame)
    if isinstance(missed, ir.Attribute) and _is_set_by_call(machine, statement, missed, frame):
        return _lasts(machine, missed, frame)
    if not isinstance(statement, ir.Assign) or _is_nothing(statement):
        return False
    for target in statement.targets:
        if isinstance(target, ir.Attribute) and text(target) == text(missed):
            return _lasts(machine, target, frame)
        if isinstance(target, ir.Subscript) and _is_entry(machine, target, missed, other, frame):
            return True
        is_missed = isinstance(target, ir.Name) and text(target) == text(missed)
        if is_missed and _is_made_for_all_turns(machine, target, test, frame):
            return True
    return False


def _registered(statement: ir.Statement) -> ir.Attribute | None:
    """The attribute that a statement such as `self.register_buffer("table", …)` sets."""
    match statement:
        case ir.Evaluate(
            value=ir.CallExpression(
                function=ir.Attribute(value=owner, name="register_buffer" | "register_parameter"),
                arguments=(ir.Argument(value=ir.Constant(value=str(name))), *_),
            ) as call
        ):
            return ir.Attribute(call.id, owner, name)
        case _:
            return None


def _is_set_by_call(
    machine: Interpreter, statement: ir.Statement, missed: ir.Attribute, frame: Frame
) -> bool:
    """Whether a statement calls a method that sets an attribute of its object: `self.prepare(x)`."""
    match statement:
        case ir.Evaluate(value=ir.CallExpression(function=ir.Attribute(value=owner, name=name))) if path(
            owner
        ) and text(owner) == text(missed.value):
            method = machine.method_of(machine.evaluate(owner, frame), name)
            target = method.target if isinstance(method, Reference) else None
            return isinstance(target, BoundMethod) and missed.name in _set_by(target.function.node)
        case _:
            return False


@once_a_node
def _set_by(method: ir.FunctionDef | ir.Lambda) -> frozenset[str]:
    """The attributes of its object that a method sets in each call, before it may return."""
    receiver = next((each.name for each in method.parameters), None)
    body = method.body if isinstance(method.body, tuple) else ()
    return frozenset(
        target.name
        for each in takewhile(lambda each: not _may_return(each), body)
        if isinstance(each, ir.Assign) and not _is_nothing(each)
        for target in each.targets
        if isinstance(target, ir.Attribute) and text(target.value) == receiver
    )


def _may_return(statement: ir.Statement) -> bool:
    return any(isinstance(each, ir.Return) for each in walk((statement,)))


def _missed(test: ir.Expression, *, taken: bool) -> tuple[ir.Expression, ...]:
    """What an outcome of a test shows to be missing: None, false, or no key of a dict. Nothing if it may have
    another cause."""
    match test:
        case ir.Unary(operator="not", operand=ir.CallExpression() as inner):
            return _missed(inner, taken=not taken)
        case ir.Unary(operator="not", operand=(ir.Attribute() | ir.Name()) as held):
            return (held,) if taken else ()
        case ir.Boolean(operator="or", left=left, right=right) if taken:
            parts = _missed(left, taken=True), _missed(right, taken=True)
            return (*parts[0], *parts[1]) if all(parts) else ()
        case ir.Compare(left=left, rest=((("is" | "is_not") as name, ir.Constant(value=None)),)):
            return (left,) if (name == "is") is taken else ()
        case ir.Compare(left=key, rest=((("in" | "not_in") as name, held),)):
            return (ir.Subscript(test.id, held, (key,)),) if (name == "not_in") is taken else ()
        case ir.CallExpression(
            function=ir.Name(name="hasattr"),
            arguments=(ir.Argument(value=owner), ir.Argument(value=ir.Constant(value=str(name)))),
        ):
            return () if taken else (ir.Attribute(test.id, owner, name),)
        case _:
            return ()


def _is_nothing(node: ir.Assign) -> bool:
    return isinstance(node.value, ir.Constant) and not node.value.value


def _lasts(machine: Interpreter, target: ir.Attribute, frame: Frame) -> bool:
    """Whether an attribute belongs to a module, or to an object that was there before a loop of many turns,
    no method of which clears it."""
    held = machine.evaluate(target.value, frame)
    owner = module_of(held) or _from_before(machine, held)
    return owner is not None and (
        not isinstance(owner.of, Class)
        or not any(target.name in _cleared(each.node) for each in _methods(owner.of))
    )


def _from_before(machine: Interpreter, held: Value) -> Instance | None:
    """The object of the project, if it was there before a loop of many turns, none of which draws another
    one."""
    made = held.target if isinstance(held, Reference) else None
    if not isinstance(made, Instance) or not isinstance(made.of, Class):
        return None
    around = [each for each in enclosing(machine.execution.loop) if each.begun > made.number]
    if made.drawn in around:
        around = around[around.index(made.drawn) + 1 :]
    return made if any(not each.is_short for each in around) else None


def _methods(made: Class) -> Iterator[Function]:
    for each in made.order:
        for held in each.cells.values() if isinstance(each, Class) else ():
            function = held.target if isinstance(held, Reference) else None
            if isinstance(function, Function) and function.name != "__init__":
                yield function


@once_a_node
def _cleared(node: ir.FunctionDef | ir.Lambda) -> frozenset[str]:
    """The attributes that a method sets to None or to false."""
    return frozenset(
        target.name
        for each in walk(node.body if isinstance(node.body, tuple) else ())
        if isinstance(each, ir.Assign) and _is_nothing(each)
        for target in each.targets
        if isinstance(target, ir.Attribute)
    )


def _is_made_for_all_turns(
    machine: Interpreter, target: ir.Expression, test: ir.Expression, frame: Frame
) -> bool:
    """Whether the innermost loop around a test sets a name to nothing but new objects: once it has one, it
    keeps it."""
    code = frame.file.body if frame.function is None else frame.function.node.body
    loop = _innermost_loop(code, test) if isinstance(code, tuple) else None
    return loop is not None and all(
        _makes_object(machine, each.value, frame)
        for each in walk(loop.body)
        if isinstance(each, ir.Assign) and any(text(one) == text(target) for one in each.targets)
    )


def _innermost_loop(code: ir.Block, test: ir.Expression) -> ir.For | ir.While | None:
    around = (each for each in _loops(code) if any(one is test for one in walk(each.body)))
    return max(around, key=lambda each: each.id, default=None)


@once_a_node
def _loops(code: ir.Block) -> tuple[ir.For | ir.While, ...]:
    return tuple(each for each in walk(code) if isinstance(each, (ir.For, ir.While)))


def _makes_object(machine: Interpreter, expression: ir.Expression, frame: Frame) -> bool:
    """Whether an expression calls a class of the project."""
    match expression:
        case ir.Conditional(then=then, orelse=orelse):
            return all(_makes_object(machine, each, frame) for each in (then, orelse))
        case ir.CallExpression(function=function) if path(function):  # evaluating names has no effect
            held = machine.evaluate(function, frame)
            return isinstance(held, Reference) and isinstance(held.target, Class)
        case _:
            return False


def _is_entry(
    machine: Interpreter, target: ir.Subscript, missed: ir.Expression, other: ir.Block, frame: Frame
) -> bool:
    """Whether an entry that a test has missed is set: one for a device, one in a module such as a
    `nn.ModuleDict`, or one in a dict that is kept for later turns, with a name that is known, or that the
    other branch adds to."""
    is_same = text(missed) == text(target)
    if is_same and path(target.value) and module_of(machine.evaluate(target.value, frame)) is not None:
        return True
    is_missed = is_same or isinstance(missed, ir.Name)
    match target.indices:
        case ((ir.Name() | ir.Attribute() | ir.Constant()) as key,) if is_missed:
            held = machine.evaluate(key, frame)
            if isinstance(held, DeviceValue):
                return True
            is_name = isinstance(held, Known) and isinstance(held.value, str)
            comes_again = is_name or (not _is_number(held) and _adds_to(other, target))
            return comes_again and bool(path(target.value)) and _is_kept(machine, target, frame)
        case _:
            return False


def _is_number(held: Value) -> bool:
    """Whether a key is a number, such as that of the turn."""
    return isinstance(held, (Known, Scalar)) and scalar_type(held) != "str"


def _adds_to(block: ir.Block, entry: ir.Subscript) -> bool:
    """Whether a block changes an entry: `totals[name].append(loss)`, `totals[name] += loss`."""
    written = text(entry)
    for each in walk(block):
        match each:
            case ir.CallExpression(function=ir.Attribute(value=changed)) | ir.AugmentedAssign(target=changed):
                if text(changed) == written:
                    return True
            case ir.Assign(targets=targets) if any(text(one) == written for one in targets):
                return True
            case _:
                pass
    return False


def _is_kept(machine: Interpreter, entry: ir.Subscript, frame: Frame) -> bool:
    """Whether the dict of an entry was made before a loop of many turns, or by a few of these."""
    dicts = [
        each.target if isinstance(each, Reference) else None
        for each in alternatives(machine.evaluate(entry.value, frame))
    ]
    return all(isinstance(held, Container) and _outlasts_turns(machine, held) for held in dicts)


def _outlasts_turns(machine: Interpreter, held: Container) -> bool:
    born = held.born
    around = list(enclosing(machine.execution.loop))
    within = list(takewhile(lambda each: born is None or each.site != born.site, around))
    if held.periodic:
        within = around[: len(within) + 1]
    return any(not each.is_short for each in within)
