"""Python's builtins, as far as they read tensors or pass them on."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence

from devlint.model import Cause, Certainty, Operation
from devlint.operators import find
from devlint.source import ir
from devlint.source.flow.modules import moved_modules
from devlint.source.flow.operators import operations, waits
from devlint.source.flow.operators.operands import operand
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.lattice import join_all
from devlint.source.flow.state.values import (
    SCALAR,
    TOP,
    Container,
    DeviceValue,
    Instance,
    Literal,
    Loader,
    Scalar,
    Super,
    Tensor,
    Value,
)
from devlint.source.flow.syntax import stores
from devlint.source.flow.syntax.elements import element_of, iterate

PREFIX = "builtins."
Handler = Callable[[Frame, ir.Call, Sequence[Passed]], Value]


def is_builtin(name: str) -> bool:
    """Whether a name that nothing binds is one of Python's own."""
    return name in _NAMES


_NAMES = frozenset(dir(builtins))


def call(frame: Frame, node: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """The value of a call of a builtin."""
    handler = _HANDLERS.get(name)
    return handler(frame, node, passed) if handler is not None else TOP


def _formats(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    for argument in passed:
        note_formatting(frame, argument)
    return SCALAR


def note_formatting(frame: Frame, argument: Passed) -> None:
    """Notes that a tensor is turned into text, which reads it. A text that is kept, as a key or for a model,
    needs what it reads."""
    if frame.keeps_text:
        with frame.off_path():
            _note_formatting(frame, argument)
    else:
        _note_formatting(frame, argument)


def _note_formatting(frame: Frame, argument: Passed) -> None:
    if isinstance(argument.value, Tensor):
        waits.note_host_read_of_download(frame, argument.expression.id, argument.value)
        waits.note_wait(
            frame,
            argument.expression.id,
            "torch.Tensor.__format__",
            Cause.FORMAT,
            argument.value,
            argument,
            "self",
        )


def _reads_as(method: str) -> Handler:
    """`float(t)` is `t.__float__()`."""

    def handler(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
        operator = find(f"torch.Tensor.{method}")
        if passed and isinstance(passed[0].value, Tensor) and operator is not None:
            operations.apply(frame, node.id, operator, passed[:1])
        return SCALAR

    return handler


def _walks(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    """`list(t)`, `sorted(t)`, `sum(t)`: element by element. `list(t)` alone makes views and waits for
    nothing."""
    if not passed:
        return Container(TOP)
    return Container(iterate(passed[0].value))


def _compares(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    """`max(a, b)` compares its arguments pair by pair and branches on the result."""
    tensors = [argument for argument in passed if isinstance(argument.value, Tensor) and not argument.keyword]
    if len(tensors) < 2 or len(passed) < 2:
        return iterate(passed[0].value) if len(passed) == 1 else join_all([a.value for a in passed])
    operands = tuple(operand(argument.value, argument.expression, "self") for argument in tensors)
    if len({shown.device for shown in operands}) > 1:
        frame.emit(Operation(node.id, frame.hot, Certainty.PROVEN, "torch.Tensor.__gt__", operands))
    first = next((a for a in tensors if isinstance(a.value, Tensor)), None)
    if first is not None and isinstance(first.value, Tensor):
        waits.note_wait(frame, node.id, "torch.Tensor.__bool__", Cause.BRANCH, first.value, first, "self")
    return join_all([argument.value for argument in tensors])


def _sum(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    return iterate(passed[0].value) if passed else SCALAR


def _absolute(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    """`abs(t)` is `t.__abs__()`."""
    value = passed[0].value if passed else TOP
    operator = find("torch.Tensor.__abs__")
    if isinstance(value, Tensor) and operator is not None:
        return operations.apply(frame, node.id, operator, passed[:1])
    return SCALAR if isinstance(value, Literal | Scalar) else TOP


def _range(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    for argument in passed:
        if isinstance(argument.value, Tensor):
            read = argument.value
            waits.note_wait(
                frame, argument.expression.id, "torch.Tensor.__index__", Cause.HIDDEN_READ, read, argument
            )
    return Container(SCALAR, data=True)


def _zip(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    items = tuple((n, iterate(argument.value)) for n, argument in enumerate(passed))
    return Container(Container(TOP, items, mutable=False))


def _enumerate(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    element = iterate(passed[0].value) if passed else TOP
    pair = Container(TOP, ((0, SCALAR), (1, element)), mutable=False)
    if passed and isinstance(passed[0].value, Loader):
        return Loader(pair)
    return Container(pair)


def _same_elements(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    if not passed:
        return TOP
    value = passed[0].value
    return value if isinstance(value, Loader) else Container(iterate(value))


def _next(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    return iterate(passed[0].value) if passed else TOP


def _getattr(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    if len(passed) >= 2 and passed[1].value == Literal("device") and isinstance(passed[0].value, Tensor):
        return DeviceValue(passed[0].value.device, is_object=passed[0].value.evident or None)
    return TOP


def _super(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    return Super(frame.info) if frame.info is not None else TOP


def _scalar(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    return SCALAR


def _dict(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    if passed and all(argument.keyword for argument in passed):
        items = tuple((argument.keyword, argument.value) for argument in passed)
        return Container(join_all([argument.value for argument in passed]), items)
    return Container(element_of(passed[0].value)) if passed else Container(TOP, ())


def _set_attribute(frame: Frame, node: ir.Call, passed: Sequence[Passed]) -> Value:
    if passed and isinstance(passed[0].value, Instance):
        frame.environment.forget_below("self")
    elif len(passed) == 3 and stores.may_lie_apart(passed[0].value, passed[2].value, replaces_state=True):
        moved_modules.take_apart(frame, passed[0].expression, passed[0].value)
    return Literal(None)


_HANDLERS: dict[str, Handler] = {
    "print": _formats,
    "str": _formats,
    "repr": _formats,
    "format": _formats,
    "float": _reads_as("__float__"),
    "int": _reads_as("__int__"),
    "bool": _reads_as("__bool__"),
    "complex": _reads_as("__complex__"),
    "round": _scalar,
    "len": _scalar,
    "isinstance": _scalar,
    "hasattr": _scalar,
    "id": _scalar,
    "abs": _absolute,
    "list": _walks,
    "tuple": _walks,
    "sorted": _walks,
    "set": _walks,
    "dict": _dict,
    "sum": _sum,
    "max": _compares,
    "min": _compares,
    "range": _range,
    "zip": _zip,
    "enumerate": _enumerate,
    "reversed": _same_elements,
    "iter": _same_elements,
    "next": _next,
    "getattr": _getattr,
    "setattr": _set_attribute,
    "super": _super,
}
