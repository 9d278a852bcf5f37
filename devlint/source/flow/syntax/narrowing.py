"""What a test shows of the values that it asks about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from devlint.model import CPU, UNKNOWN, Symbol, SymbolKind
from devlint.source import ir
from devlint.source.flow.state.environment import Answer
from devlint.source.flow.state.frame import Frame
from devlint.source.flow.state.values import SCALAR, TOP, Container, Literal, Tensor, Value
from devlint.source.walk import path


def narrow(frame: Frame, test: ir.Expression, *, holds: bool) -> None:
    """`if x is None:` shows what `x` is in that branch."""
    match test:
        case ir.Compare(left=left, rest=((("is" | "is_not") as operator, ir.Constant(value=None)),)):
            name = path(left)
            if name in frame.parameters and frame.stable_up_to_here(name):
                frame.environment.tested |= {Answer(name, is_none=(operator == "is") is holds)}
            if (operator == "is") is holds and name:
                frame.bind(name, Literal(None))
        case ir.Name(name=name) if name in frame.parameters and frame.stable_up_to_here(name):
            frame.environment.tested |= {Answer(name, is_true=holds)}
        case ir.Unary(operator="not", operand=operand):
            narrow(frame, operand, holds=not holds)
        case ir.Boolean(operator="and", left=left, right=right) if holds:
            for part in (left, right):
                # What is no tensor may be a number or a list of them: that is left open.
                if not isinstance(part, ir.Unary):
                    narrow(frame, part, holds=True)
        case ir.Call(function=function, arguments=(subject, _)) if path(function) == "isinstance":
            _narrow_to_tensor(frame, test, subject.value, holds=holds)
        case ir.Call(function=function, arguments=(subject,)) if (
            frame.canonical(path(function)) == "torch.is_tensor"
        ):
            _narrow_to_tensor(frame, test, subject.value, holds=holds)
        case _:
            return


@contextmanager
def narrowed(frame: Frame, test: ir.Expression, *, holds: bool) -> Iterator[None]:
    """Interpret an expression that is evaluated only if a test holds, or only if it does not."""
    names, before, tested = frame.environment.names, dict(frame.environment.names), frame.environment.tested
    narrow(frame, test, holds=holds)
    shown = {
        name: names.get(name)
        for name in before.keys() | names.keys()
        if names.get(name) is not before.get(name)
    }
    yield
    frame.environment.tested = tested
    for name, value in shown.items():
        if names.get(name) is not value:
            continue
        if name in before:
            names[name] = before[name]
        else:
            del names[name]


_HOST_DATA: dict[str, Value] = {
    "list": Container(SCALAR, data=True),
    "tuple": Container(SCALAR, data=True),
    "dict": Container(TOP),
    "int": SCALAR,
    "float": SCALAR,
    "bool": SCALAR,
    "str": SCALAR,
}
"""What `isinstance` shows of a value that is no tensor."""


def _narrow_to_tensor(frame: Frame, test: ir.Call, subject: ir.Expression, *, holds: bool) -> None:
    """`if isinstance(x, torch.Tensor):` shows that `x` is a tensor in that branch, and none in the other."""
    name = path(subject)
    asked = path(test.arguments[-1].value) if len(test.arguments) == 2 else ""
    if name and holds and asked in _HOST_DATA:
        frame.bind(name, _HOST_DATA[asked])
    if not name or (asked and frame.canonical(asked) not in {"torch.Tensor", "torch.autograd.Variable"}):
        return
    value = frame.environment.get(name)
    if not holds:
        frame.bind(name, SCALAR)
    elif isinstance(value, Tensor):
        # Elsewhere in the function it may be none.
        frame.bind(name, replace(value, evident=True, anchor=value.anchor if value.evident else ""))
    elif value is TOP and "." not in name:
        frame.bind(name, Tensor(Symbol(name, SymbolKind.TENSOR)))


def narrow_to_host(frame: Frame, test: ir.Expression) -> None:
    """`assert x.device.type == "cpu"` shows where `x` lies from then on."""
    match test:
        case ir.Compare(left=ir.Attribute(name="type") as kind, rest=(("eq", ir.Constant(value="cpu")),)):
            place = kind.value
        case ir.Unary(operator="not", operand=ir.Attribute(name="is_cuda") as place):
            pass
        case _:
            return
    name = path(place.value) if isinstance(place, ir.Attribute) and place.name in _ASKED else ""
    held = frame.look_up(name) if name else TOP
    if isinstance(held, Tensor):
        frame.bind(name, replace(held, device=CPU, anchor="", untouched=False))
        if held.device != UNKNOWN:
            frame.environment.map_devices(lambda device: CPU if device == held.device else device)


_ASKED = frozenset({"device", "is_cuda"})
