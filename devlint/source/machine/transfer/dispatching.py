"""Functions that dispatch on the type of their first argument: by `functools.singledispatch`, or by a
decorator from outside the project that dispatches on annotations (`plum.dispatch`, `multimethod`)."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import TOP, Reference, Value
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.transfer.interpreter import Interpreter


def register(
    machine: Interpreter, decorator: ir.Expression, held: Value, made: Function, frame: Frame
) -> bool:
    """Register a function that is decorated by `@function.register` or `@function.register(type)`."""
    called = decorator.function if isinstance(decorator, ir.CallExpression) else decorator
    if not isinstance(called, ir.Attribute) or called.name != "register":
        return False
    owner = machine.evaluate(called.value, frame)
    function = owner.target if isinstance(owner, Reference) else None
    if not isinstance(function, Function) or "singledispatch" not in function.marks:
        return False
    if isinstance(decorator, ir.CallExpression):
        stated = decorator.arguments[0].value if decorator.arguments else None
        types = TOP if stated is None else machine.evaluate(stated, frame)
    else:
        types = _annotated(machine, made, frame)
    if isinstance(held, Reference) and isinstance(held.target, Function):
        function.registered.append((types, held.target))
    return True


def join(machine: Interpreter, made: Function, before: Value | None, frame: Frame) -> None:
    """Combine a function with an earlier one of its name that has the same decorator from outside the
    project: such a decorator dispatches, because otherwise the earlier function could never be called."""
    earlier = before.target if isinstance(before, Reference) else None
    if not isinstance(earlier, Function) or not made.decorators & earlier.decorators:
        return
    known = earlier.registered or [(_annotated(machine, earlier, frame), earlier)]
    made.registered = [*known, (_annotated(machine, made, frame), made)]
    for each in (earlier, made):
        each.marks |= {"overloaded"}


def _annotated(machine: Interpreter, function: Function, frame: Frame) -> Value:
    """The annotation of the first parameter."""
    parameters = function.node.parameters
    stated = parameters[0].annotation if parameters else None
    return TOP if stated is None else machine.evaluate(stated, frame)


def chosen(machine: Interpreter, function: Function, first: Value) -> list[Function]:
    """The functions that may be called for a first argument; an input counts as a tensor."""
    asked = tensor_of(first) or first
    answers = [(machine.is_instance(asked, types), each) for types, each in function.registered]
    fitting = [each for answer, each in answers if answer is not False]
    if not any(answer for answer, _ in answers) and all(each is not function for _, each in answers):
        fitting.append(function)
    return fitting
