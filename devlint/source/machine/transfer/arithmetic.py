"""Python's arithmetic: computed for numbers and strings; for tensors, torch's operators."""

from __future__ import annotations

import operator as python
import re
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from devlint.operators import find
from devlint.source import ir
from devlint.source.machine.domain.clocks import Clock
from devlint.source.machine.domain.inputs import Input, computed
from devlint.source.machine.domain.lattice import join_all, scalar_type
from devlint.source.machine.domain.tensors import tensor_of, without_stand_ins
from devlint.source.machine.domain.texts import joined, known_in_part
from devlint.source.machine.domain.values import (
    FLOAT,
    NONE,
    SCALAR,
    STRING,
    TOP,
    Array,
    DeviceValue,
    External,
    Imported,
    Known,
    Method,
    Reference,
    Scalar,
    Tensor,
    Top,
    Union,
    Value,
    alternatives,
)
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.heap.paths import for_each
from devlint.source.machine.library import formatting, numpy_results
from devlint.source.machine.library.host_operations import host_operation
from devlint.source.machine.operators.accelerator import devices_counted
from devlint.source.machine.operators.apply import apply, correlated
from devlint.source.machine.operators.timing import elapsed
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import walk

_COMPUTE: dict[str, Callable[[Any, Any], Any]] = {
    "add": python.add,
    "sub": python.sub,
    "mul": python.mul,
    "truediv": python.truediv,
    "floordiv": python.floordiv,
    "mod": python.mod,
    "and": python.and_,
    "or": python.or_,
    "xor": python.xor,
}
_LONG_WIDTH = re.compile(r"\d{4}")
"""A format with a width of so many digits would make a long text."""
_LONGEST = 1000
"""Longer strings, and numbers with more digits, are not computed."""


def binary(machine: Interpreter, node: ir.Binary, left: Value, right: Value, frame: Frame) -> Value:
    """`left operator right`."""
    if isinstance(left, Union) or isinstance(right, Union):
        return _of_alternatives(machine, node, left, right, frame)
    if isinstance(left, (Known, Scalar)) and isinstance(right, (Known, Scalar)):
        return numbers(machine, node.operator, left, right)
    if node.operator == "add" and _is_text(left) and _is_text(right):
        return joined(left, right)
    operands = (
        Passed(left, node.left, frame.site(node.left)),
        Passed(right, node.right, frame.site(node.right)),
    )
    return operation(machine, node.operator, operands, frame, node)


def _is_text(held: Value) -> bool:
    is_name = isinstance(held, DeviceValue) and held.is_string
    return is_name or (isinstance(held, (Known, Scalar)) and scalar_type(held) == "str")


def _of_alternatives(machine: Interpreter, node: ir.Binary, left: Value, right: Value, frame: Frame) -> Value:
    """The join of the results for each alternative. Two operands that depend on the path depend on the same
    one."""
    left, right = without_stand_ins(left), without_stand_ins(right)
    lefts = [each for each in alternatives(left) if each != NONE]
    rights = [each for each in alternatives(correlated(left, right)) if each != NONE]
    if len(lefts) > 1 and len(rights) > 1:
        pairs = list(zip(lefts, rights, strict=False))
    else:
        pairs = [(one, other) for one in lefts for other in rights]
    with machine.on_one_path(left, right) if len(pairs) > 1 else nullcontext():
        return join_all(binary(machine, node, one, other, frame) for one, other in pairs)


def _is_compared(node: ir.Expression, frame: Frame) -> bool:
    """Whether a time span is only compared with another one: `if time.time() - shown > 1`, which shows
    something from time to time, and measures nothing."""
    within = walk(() if frame.statement is None else (frame.statement,))
    tests = (each for each in within if isinstance(each, ir.Compare))
    return any(node is each.left or any(node is right for _, right in each.rest) for each in tests)


def operation(
    machine: Interpreter, name: str, operands: tuple[Passed, Passed], frame: Frame, node: ir.Expression
) -> Value:
    """An operator with an operand that is not a plain number or string."""
    left, right = operands[0].value, operands[1].value
    if name == "sub" and isinstance(right, Clock):
        return FLOAT if _is_compared(node, frame) else elapsed(machine, left, right)
    if name == "mod" and isinstance(left, (Known, Scalar)) and scalar_type(left) == "str":
        return _of_text(machine, left, operands[1])
    if name == "mod" and _is_remainder(machine, left, right):
        return Scalar("int", periodic=-1)
    if isinstance(left, Tensor) and isinstance(right, Array) and not right.may_be_number:
        # NumPy evaluates the operation, and converts the tensor to an array.
        host_operation(machine, f"numpy.ndarray.__r{name}__", Call(operands, frame, node))
        return numpy_results.computed(left, right)
    if isinstance(left, Tensor) or (isinstance(left, Input) and not isinstance(right, Tensor)):
        return _of_tensors(machine, f"torch.Tensor.__{name}__", operands, frame, node)
    if isinstance(right, (Tensor, Input)) and isinstance(left, (Known, Scalar, Input, Tensor, Top, Method)):
        if isinstance(left, Input):
            return _of_tensors(machine, f"torch.Tensor.__{name}__", operands, frame, node)
        reflected = find(f"torch.Tensor.__r{name}__")
        if reflected is None:
            return _of_tensors(machine, f"torch.Tensor.__{name}__", (operands[1], operands[0]), frame, node)
        return apply(machine, frame.site(node), reflected, (operands[1], operands[0]))
    own = machine.method_of(left, f"__{name}__")
    if own is not None:
        return machine.call(own, Call([operands[1]], frame, node))
    own = machine.method_of(right, f"__r{name}__")
    if own is not None:
        return machine.call(own, Call([operands[0]], frame, node))
    if isinstance(left, Array) or isinstance(right, Array):
        result = numpy_results.computed(left, right)
        called = Call(operands, frame, node)
        sure = not any(isinstance(each, Array) and each.may_be_number for each in (left, right))
        host_operation(machine, f"numpy.ndarray.__{name}__", called, sure=sure)
        return result
    return _of_containers(machine, name, left, right, operands)


def _is_remainder(machine: Interpreter, left: Value, right: Value) -> bool:
    """Whether `left % right` is most likely a remainder of numbers, one of which at least is unknown:
    `step % args.log_every`."""
    match left, right:
        case ((Top() | Input() | Method()), (Known() | Scalar())):
            return not _is_evident(left)
        case ((Known() | Scalar()), (Top() | Input() | Method() | External() | Imported())):
            return _counts_turns(machine, left) and not _is_evident(right)
        case ((Top() | Input() | Method()), (Top() | Input() | Method() | External() | Imported())):
            repeated = machine.execution.loop is not None or machine.execution.hypothesis
            return bool(repeated) and not (_is_evident(left) or _is_evident(right))
        case _:
            return False


def _is_evident(held: Value) -> bool:
    return isinstance(held, Input) and held.evident


def _of_tensors(
    machine: Interpreter, name: str, operands: tuple[Passed, Passed], frame: Frame, node: ir.Expression
) -> Value:
    operator = find(name)
    if operator is None:
        return TOP
    if isinstance(operands[0].value, Input) and tensor_of(operands[1].value) is None:
        return computed(operands[0].value)
    return apply(machine, frame.site(node), operator, operands)


def _of_containers(
    machine: Interpreter, name: str, left: Value, right: Value, operands: tuple[Passed, Passed]
) -> Value:
    one, other = _container(left), _container(right)
    if name == "add" and one is not None and other is not None:
        if one.exact and other.exact:
            return machine.adopt(Container(one.kind, [*one.items, *other.items]))
        return machine.adopt(
            Container(one.kind, element=join_all([*one.cells.values(), *other.cells.values()]))
        )
    if name == "mul" and one is not None:
        if isinstance(right, Known) and isinstance(right.value, int) and one.exact and right.value <= 8:
            return machine.adopt(Container(one.kind, one.items * right.value))
        return machine.adopt(Container(one.kind, element=join_all(one.cells.values())))
    if name == "or" and one is not None and other is not None:
        merged = Container("dict")
        merged.cells.update({**one.cells, **other.cells})
        return machine.adopt(merged)
    return TOP


def _of_text(machine: Interpreter, template: Value, right: Passed) -> Value:
    """`template % values`."""
    held = _container(right.value)
    values = [right.value] if held is None else [*held.cells.values()]
    for each in values:
        formatting.formatted(machine, each, right)
    if isinstance(template, Known) and isinstance(template.value, str) and (held is None or held.exact):
        return formatted(template.value, values)
    return STRING


def formatted(template: str, values: list[Value]) -> Value:
    """`template % values`, and other formatting, if all operands are known."""
    plain = [each.value for each in values if isinstance(each, Known)]
    if len(plain) != len(values) or _LONG_WIDTH.search(template):
        return known_in_part(template.partition("%")[0], values)
    try:
        return Known(template % tuple(plain))
    except (TypeError, ValueError):
        return Scalar("str")


def _container(held: Value) -> Container | None:
    if isinstance(held, Reference) and isinstance(held.target, Container):
        return held.target
    return None


def unary(machine: Interpreter, node: ir.Unary, held: Value, frame: Frame) -> Value:
    """`-x`, `+x`, `~x`."""
    match held:
        case Known(value=int() | float() as number) if node.operator == "neg":
            return Known(-number)
        case Known() | Scalar():
            return Scalar(scalar_type(held))
        case Tensor():
            operator = find(f"torch.Tensor.__{node.operator}__")
            if operator is None:
                return held
            passed = Passed(held, node.operand, frame.site(node.operand))
            return apply(machine, frame.site(node), operator, [passed])
        case Union():
            return for_each(machine, held.alternatives, lambda each: unary(machine, node, each, frame))
        case Reference(target=Instance()):
            own = machine.method_of(held, f"__{node.operator}__")
            return TOP if own is None else machine.call(own, Call([], frame, node))
        case _:
            return held


def numbers(machine: Interpreter, name: str, left: Known | Scalar, right: Known | Scalar) -> Value:
    """Arithmetic on numbers and strings."""
    if _is_count_of_devices(right) and name == "mod":
        right = Known(devices_counted(machine))
    elif _is_count_of_devices(left) and name in _ORDINALS and isinstance(right, Known):
        left = Known(devices_counted(machine))
    if name == "mod" and scalar_type(left) != "str" and _is_seldom_zero(machine, left, right):
        is_zero = scalar_type(left) == "int" and right == Known(1) and scalar_type(right) == "int"
        return Known(0) if is_zero else Scalar("int", periodic=-1)
    if isinstance(left, Known) and isinstance(right, Known):
        return _computed(name, left, right)
    types = {scalar_type(left), scalar_type(right)}
    if types == {"str"} and name == "add":
        return joined(left, right)
    if name == "truediv" or "float" in types:
        return Scalar("float")
    if types != {"int"}:
        return SCALAR
    unknown = [each for each in (left, right) if isinstance(each, Scalar)]
    counter, given = any(each.counter for each in unknown), any(each.given for each in unknown)
    return Scalar("int", counter=counter, given=given)


_ORDINALS = frozenset({"add", "sub", "floordiv"})
"""Operators by which programs compute the ordinal of a device from their number: `device_count() - 1`."""


def _is_count_of_devices(held: Known | Scalar) -> bool:
    return isinstance(held, Scalar) and held.availability and held.type == "int"


def _is_seldom_zero(machine: Interpreter, left: Known | Scalar, right: Known | Scalar) -> bool:
    """Whether a remainder is zero in few turns of a loop, or in few calls. All turns of a loop have the same
    arguments, and an argument is even as often as it is odd."""
    if _counts_turns(machine, left):
        return True
    loop = machine.execution.loop
    differs = loop is None or loop.frame is not machine.frame
    return isinstance(left, Scalar) and left.given and differs and right != Known(2)


def _counts_turns(machine: Interpreter, held: Known | Scalar) -> bool:
    """Whether a number differs, or may differ, between the turns of a loop."""
    if isinstance(held, Scalar):
        return held.counter
    return machine.execution.loop is not None and machine.execution.loop.turns is None


def _computed(name: str, left: Known, right: Known) -> Value:
    if name == "mod" and isinstance(left.value, str):
        return formatted(left.value, [right])
    compute = _COMPUTE.get(name)
    if compute is None or _is_long(left.value) or _is_long(right.value):
        return SCALAR
    if name == "mul" and (isinstance(left.value, (str, bytes)) or isinstance(right.value, (str, bytes))):
        return Scalar("str")
    try:
        return Known(compute(left.value, right.value))
    except (TypeError, ValueError, ArithmeticError):
        return SCALAR


def _is_long(held: object) -> bool:
    if isinstance(held, (str, bytes)):
        return len(held) > _LONGEST
    return isinstance(held, int) and abs(held) > 10**12
