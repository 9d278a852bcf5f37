"""What a call does, by what is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from devlint.model import (
    CPU,
    UNKNOWN,
    Certainty,
    Operand,
    Operation,
    Origin,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
)
from devlint.operators import find, find_host_consumer, is_read_as_number
from devlint.source import ir
from devlint.source.flow.calls import builtin_calls, frameworks, methods, settings, torch_calls
from devlint.source.flow.modules import constructions, modules, moved_modules
from devlint.source.flow.modules.layers import is_module_class
from devlint.source.flow.operators import operations
from devlint.source.flow.operators.operands import operand, tensor_of, tensors_in
from devlint.source.flow.patterns.strictness import note_tensors_asked_for
from devlint.source.flow.state.frame import OF_SELF, Frame, Passed
from devlint.source.flow.state.values import (
    TOP,
    Array,
    ClassValue,
    Container,
    External,
    FunctionValue,
    Instance,
    Method,
    Module,
    Partial,
    Preprocessor,
    Tensor,
    Value,
)
from devlint.source.walk import path


def call(frame: Frame, node: ir.Call, callee: Value, passed: Sequence[Passed]) -> Value:
    """The value of a call; notes what it does on the way."""
    match callee:
        case External(name=name):
            known = frame.program.imports.value(callee)
            if known is not callee and not isinstance(known, External):
                return call(frame, node, known, passed)
            return _call_external(frame, node, known.name if isinstance(known, External) else name, passed)
        case Method():
            return methods.call(frame, node, callee, passed)
        case FunctionValue():
            return frame.program.call_function(frame, node.id, callee, passed, None)
        case Partial(callee=whole, arguments=arguments):
            return call(frame, node, whole, _completed(arguments, passed))
        case ClassValue():
            return _construct(frame, node, callee, passed)
        case Module(info=info):
            output = methods.forward_output(frame, node, callee, passed) if info is not None else None
            returned = modules.call_module(frame, node, callee, passed, output)
            is_pretrained = frameworks.is_pretrained(callee)
            return frameworks.call_pretrained(callee, returned) if is_pretrained else returned
        case Preprocessor():
            note_tensors_asked_for(frame, node, passed)
            return frameworks.preprocess(node, callee, "__call__", passed)
        case Instance(info=info) if info.is_module:
            module = Module(OF_SELF, Origin(), info.name, info)
            return modules.call_module(
                frame, node, module, passed, methods.forward_output(frame, node, module, passed)
            )
        case Instance(info=info) if (called := info.method("__call__")) is not None:
            return methods.call_method(frame, node.id, *called, passed, callee)
        case Tensor(evident=False):
            note_tensors_asked_for(frame, node, passed)
            return _call_unproven(frame, node, callee, passed)
        case _:
            note_tensors_asked_for(frame, node, passed)
            forget_what_may_change(frame, passed)
            return computed_from(passed)


def _completed(arguments: Sequence[tuple[Value, ir.Argument]], passed: Sequence[Passed]) -> list[Passed]:
    """The arguments that a partial call was given before, and those of the call; a later keyword wins."""
    names = {argument.keyword for argument in passed if argument.keyword}
    return [
        *(
            Passed(value, written.value, written.keyword, written.stars)
            for value, written in arguments
            if not written.keyword or written.keyword not in names
        ),
        *passed,
    ]


def forget_what_may_change(frame: Frame, passed: Sequence[Passed]) -> None:
    """An unknown callable may wait, move the modules that it is given, and change the lists and dicts."""
    frame.waited()
    for argument in passed:
        moved_modules.hand_over(frame, argument.expression, argument.value)
        name = path(argument.expression)
        held = argument.value
        if name and isinstance(held, Container) and held.mutable and not held.data:
            frame.bind(name, Container(TOP))


def _call_unproven(frame: Frame, node: ir.Call, callee: Tensor, passed: Sequence[Passed]) -> Value:
    """A parameter that is called is no tensor. If it was moved before, it is a module."""
    last = callee.origin.last
    if last is not None and last.step is Step.MOVED:
        module = Module(callee.device, callee.origin)
    elif isinstance(callee.device, Symbol) and callee.device.kind is SymbolKind.TENSOR:
        module = Module(Symbol(callee.device.name, SymbolKind.MODULE), callee.origin, evident=False)
    else:
        return computed_from(passed)
    output = modules.call_module(frame, node, module, passed, None)
    return replace(output, presumed=True) if isinstance(output, Tensor) else computed_from(passed)


def computed_from(passed: Sequence[Passed]) -> Value:
    """What an unknown callable may return: perhaps a tensor, then presumably where its arguments are."""
    for argument in passed:
        tensor = tensor_of(argument.value)
        if tensor is not None and tensor.evident and tensor.device not in (UNKNOWN, CPU):
            return Tensor(tensor.device, evident=False, presumed=True)
    return TOP


def _construct(frame: Frame, node: ir.Call, callee: ClassValue, passed: Sequence[Passed]) -> Value:
    if callee.info.is_module:
        return modules.construct(frame, node, callee.info.name, callee.info, passed)
    frame.program.settle(callee.info)
    # An object may move what it keeps.
    for argument in passed:
        moved_modules.hand_over(frame, argument.expression, argument.value)
    made = constructions.construct(callee.info, passed)
    frame.program.make_record(made, frame)
    return made


def _call_external(frame: Frame, node: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    if name.startswith(builtin_calls.PREFIX):
        return builtin_calls.call(frame, node, name.removeprefix(builtin_calls.PREFIX), passed)
    settings.note_call(frame, node, name, passed)
    torch_calls.note_legacy_device(frame, node, name, passed)
    special = torch_calls.handler(name)
    if special is not None:
        note_host_consumer(frame, node.id, name, passed)
        return special(frame, node, name, passed)
    if name.startswith("torch.Tensor.") and passed:
        return methods.call_unbound(frame, node, name, passed)
    conventional = frameworks.call(frame, node, name, passed)
    if conventional is not None:
        return conventional
    operator = find(name)
    if operator is not None:
        return operations.apply(frame, node.id, operator, passed)
    if is_module_class(name):
        return modules.construct(frame, node, name, None, passed)
    note_host_consumer(frame, node.id, name, passed)
    if name.startswith("numpy."):
        return next((a.value for a in passed if isinstance(a.value, Array)), Array())
    if not name.startswith("torch.") or name.startswith("torch.distributed."):
        forget_what_may_change(frame, passed)
    return TOP if name.rpartition(".")[2][:1].isupper() else computed_from(passed)


def note_host_consumer(frame: Frame, site: SiteId, name: str, passed: Sequence[Passed]) -> None:
    """Notes that a tensor is given to something that can only take host data: NumPy, plotting, pandas."""
    if name.startswith("torch.") or find_host_consumer(name) is None:
        return
    operands: list[Operand] = []
    for argument in passed:
        if is_read_as_number(name, argument.keyword):
            continue
        for tensor, expression, label in tensors_in(argument.value, argument.expression):
            if isinstance(tensor, Tensor) and tensor.evident and tensor.device not in (UNKNOWN, CPU):
                operands.append(operand(tensor, expression, argument.keyword, label))
    if operands:
        frame.emit(Operation(site, frame.hot, Certainty.PROVEN, name, tuple(operands)))
