"""What `receiver.name(...)` does, by what the receiver is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from devlint.model import UNKNOWN, OriginStep, SiteId, Step, is_accelerator
from devlint.operators import find, tensor_only_attributes
from devlint.source import ir
from devlint.source.flow import modules, moves, operations
from devlint.source.flow.builtin_calls import note_formatting
from devlint.source.flow.elements import item, iterate
from devlint.source.flow.frame import OF_SELF, Frame, Passed
from devlint.source.flow.lattice import join, map_devices
from devlint.source.flow.values import (
    SCALAR,
    TOP,
    Alternatives,
    Array,
    Batch,
    ClassInfo,
    Container,
    FunctionValue,
    Generator,
    Instance,
    Literal,
    Method,
    Module,
    Optimizer,
    Tensor,
    Value,
)
from devlint.source.walk import path


def call(frame: Frame, node: ir.Call, method: Method, passed: Sequence[Passed]) -> Value:
    """The value of a method call."""
    receiver, name = method.receiver, method.name
    match receiver:
        case Tensor() | Alternatives():
            return _tensor_method(frame, node, method, receiver, passed)
        case Batch(tensor=tensor):
            return _batch_method(frame, node, method, tensor, passed)
        case Module():
            return _module_method(frame, node, method, receiver, passed)
        case Instance():
            return _instance_method(frame, node, method, receiver, passed)
        case Container():
            return _container_method(frame, method, receiver, passed)
        case Array():
            return (
                receiver if name in {"astype", "copy", "reshape", "transpose", "squeeze", "flatten"} else TOP
            )
        case Generator():
            return receiver
        case Optimizer():
            return Literal(None)
        case Literal(value=str()):
            if method.name == "format":
                for argument in passed:
                    note_formatting(frame, argument)
            return SCALAR
        case _:
            return _unknown_method(frame, node, method, passed)


def _unknown_method(frame: Frame, node: ir.Call, method: Method, passed: Sequence[Passed]) -> Value:
    """A method of something unknown: a name that only tensors have shows that it is one."""
    # It may wait for the device, as `stream.synchronize()` does.
    frame.waited()
    if method.receiver is not TOP:
        return TOP
    if method.name in moves.MOVERS:
        # A tensor, a module or a batch, now on another device.
        moved = moves.move(frame, node, Tensor(evident=False), method.name, passed)
        return TOP if isinstance(moved, Tensor) and moved.device == UNKNOWN else moved
    if method.name in tensor_only_attributes():
        return _tensor_method(frame, node, method, Tensor(), passed)
    return TOP


def call_unbound(frame: Frame, node: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """`torch.Tensor.add(x, y)`."""
    operator = find(name)
    return TOP if operator is None else operations.apply(frame, node.id, operator, passed)


def _tensor_method(
    frame: Frame, node: ir.Call, method: Method, receiver: Tensor | Alternatives, passed: Sequence[Passed]
) -> Value:
    if method.name in moves.MOVERS:
        return moves.move(frame, node, receiver, method.name, passed)
    if method.name == "backward":
        if isinstance(receiver, Tensor) and is_accelerator(receiver.device):
            frame.work += 1
        _prove(frame, method.receiver_expression, receiver)
        return Literal(None)
    if method.name in _FACTS:
        _prove(frame, method.receiver_expression, receiver)
        return Container(SCALAR, data=True) if method.name == "size" and not passed else SCALAR
    operator = find(f"torch.Tensor.{method.name}")
    if operator is None:
        return TOP
    if isinstance(receiver, Tensor) and not receiver.evident and method.name in tensor_only_attributes():
        _prove(frame, method.receiver_expression, receiver)
        receiver = replace(receiver, evident=True)
    arguments = (Passed(receiver, method.receiver_expression), *passed)
    return operations.apply(frame, node.id, operator, arguments)


_FACTS = frozenset(
    {"size", "dim", "ndimension", "numel", "nelement", "element_size", "stride", "is_contiguous"}
)
"""What is known of a tensor on the host: no device is asked."""


def _prove(frame: Frame, expression: ir.Expression, receiver: Tensor | Alternatives) -> None:
    """A use that only a tensor has shows that a name holds one."""
    name = path(expression)
    if name and isinstance(receiver, Tensor) and not receiver.evident:
        frame.bind(name, replace(receiver, evident=True))


def _batch_method(
    frame: Frame, node: ir.Call, method: Method, tensor: Tensor, passed: Sequence[Passed]
) -> Value:
    """What a data loader yields may be a tensor, a dict or an object that moves like one."""
    match method.name:
        case "items":
            return Container(Container(TOP, ((0, SCALAR), (1, Batch(tensor))), mutable=False))
        case "values" | "get" | "pop":
            return Batch(tensor)
        case "keys":
            return Container(SCALAR)
        case _:
            evident = replace(tensor, evident=True)
            return _tensor_method(frame, node, method, evident, passed)


def _module_method(
    frame: Frame, node: ir.Call, method: Method, receiver: Module, passed: Sequence[Passed]
) -> Value:
    name = method.name
    if name in moves.MOVERS:
        return moves.move(frame, node, receiver, name, passed)
    if name == "forward":
        return modules.call_module(
            frame, node, receiver, passed, forward_output(frame, node, receiver, passed)
        )
    if name in _RETURN_SELF:
        return receiver
    if name in _STATE:
        tensor = Tensor(receiver.device, receiver.origin, evident=receiver.evident)
        return Container(Container(TOP, ((0, SCALAR), (1, tensor))) if name.startswith("named_") else tensor)
    if receiver.name == "super":
        if name == "__init__":
            frame.constructed = True
            _construct_base(frame, passed)
        return _instance_state_method(frame, name, passed)
    if receiver.info is not None:
        found = receiver.info.method(name)
        if found is not None:
            return of_module(call_method(frame, node.id, *found, passed, receiver), receiver)
    return TOP


def _construct_base(frame: Frame, passed: Sequence[Passed]) -> None:
    """`super().__init__(...)`: what the constructor of a base of the project is given."""
    bases = frame.info.lineage()[1:] if frame.info is not None else []
    if bases:
        frame.program.construct(bases[0], passed)


_RETURN_SELF = frozenset(
    {"train", "eval", "requires_grad_", "half", "float", "double", "bfloat16", "apply", "share_memory"}
)
_STATE = frozenset({"parameters", "buffers", "named_parameters", "named_buffers", "state_dict"})


def forward_output(frame: Frame, node: ir.Call, module: Module, passed: Sequence[Passed]) -> Value | None:
    """What the forward of a class of the file returns for these arguments."""
    if module.info is None:
        return None
    found = module.info.method("forward")
    if found is None:
        return None
    return of_module(call_method(frame, node.id, *found, passed, module), module)


def of_module(value: Value, module: Module) -> Value:
    """A result that lies where the parameters of `self` do lies where this module's do."""
    return map_devices(value, lambda device: module.device if device == OF_SELF else device)


def call_method(
    frame: Frame,
    site: SiteId,
    function: ir.Function,
    info: ClassInfo,
    passed: Sequence[Passed],
    receiver: Value,
) -> Value:
    """The value of a call of a method of a class of the file."""
    callee = FunctionValue(function, function.id, f"{info.name}.{function.name}", info, info.home)
    return frame.program.call_function(frame, site, callee, passed, receiver)


def _instance_method(
    frame: Frame, node: ir.Call, method: Method, receiver: Instance, passed: Sequence[Passed]
) -> Value:
    found = receiver.info.method(method.name)
    if found is not None:
        returned = call_method(frame, node.id, *found, passed, receiver)
        _register_elsewhere(frame, method.name, passed)
        return returned
    if receiver.info.is_module:
        if method.name in moves.MOVERS:
            in_constructor = frame.qualname.endswith(".__init__")
            receiver.info.moved_by_constructor = receiver.info.moved_by_constructor or in_constructor
            return receiver
        if method.name in _RETURN_SELF:
            return receiver
        if method.name in _STATE:
            return _module_method(frame, node, method, Module(OF_SELF, info=receiver.info), passed)
        return _instance_state_method(frame, method.name, passed)
    return TOP


_REGISTRARS = frozenset({"register_buffer", "register_parameter", "add_module", "register_module"})


def _register_elsewhere(frame: Frame, name: str, passed: Sequence[Passed]) -> None:
    """`self.register_lazy_buffer("mask")`: a base makes something of the name."""
    key = passed[0].value if passed else TOP
    if name.startswith("register_") and isinstance(key, Literal) and isinstance(key.value, str):
        frame.bind(f"self.{key.value}", TOP)
        frame.assigned.setdefault(key.value, []).append(TOP)


def _instance_state_method(frame: Frame, name: str, passed: Sequence[Passed]) -> Value:
    """`self.register_buffer("mask", t)`, `self.add_module("net", m)`."""
    if name not in _REGISTRARS or len(passed) < 2:
        _register_elsewhere(frame, name, passed)
        return TOP
    key, value = passed[0].value, passed[1].value
    if isinstance(key, Literal) and isinstance(key.value, str):
        if isinstance(value, Tensor):
            step = OriginStep(Step.DERIVED, passed[1].expression.id, value.device, name)
            value = replace(value, origin=value.origin.then(step))
        elif value == Literal(None):
            # A place for what comes later.
            value = TOP
        frame.bind(f"self.{key.value}", value)
        frame.assigned.setdefault(key.value, []).append(value)
    return Literal(None)


def _container_method(frame: Frame, method: Method, receiver: Container, passed: Sequence[Passed]) -> Value:
    match method.name:
        case "append" | "add" | "appendleft" if passed:
            _grow(frame, method, receiver, passed[0].value)
            return Literal(None)
        case "extend" | "update" if passed:
            _grow(frame, method, receiver, iterate(passed[0].value))
            return Literal(None)
        case "insert" | "setdefault" if len(passed) > 1:
            _grow(frame, method, receiver, passed[1].value)
            return Literal(None) if method.name == "insert" else TOP
        case "items":
            return Container(Container(TOP, ((0, SCALAR), (1, iterate(receiver))), mutable=False))
        case "values":
            return Container(iterate(receiver))
        case "keys":
            return Container(SCALAR)
        case "get" | "pop" if passed and isinstance(passed[0].value, Literal):
            return item(receiver, passed[0].value.value)
        case "get" | "pop":
            found = iterate(receiver)
            return join(found, passed[1].value) if len(passed) > 1 else found
        case "copy":
            return receiver
        case _:
            return TOP


def _grow(frame: Frame, method: Method, receiver: Container, value: Value) -> None:
    """A list that grows in a loop keeps one element that covers all."""
    name = path(method.receiver_expression)
    if not name:
        return
    grown = value if receiver.items == () else join(iterate(receiver), value)
    frame.rebind(name, Container(grown))
