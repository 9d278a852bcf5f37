"""What `receiver.name(...)` does, by what the receiver is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from devlint.model import UNKNOWN, OriginStep, SiteId, Step, is_accelerator
from devlint.operators import find, tensor_only_attributes
from devlint.source import ir
from devlint.source.flow.calls import builtin_calls, frameworks, moves
from devlint.source.flow.calls.container_methods import VIEWS, call_of_container, view
from devlint.source.flow.modules import modules, moved_modules
from devlint.source.flow.operators import operations
from devlint.source.flow.operators.binding import keyword
from devlint.source.flow.patterns.strictness import note_array, note_tensors_asked_for
from devlint.source.flow.state.class_info import CONSTRUCTOR, ClassInfo
from devlint.source.flow.state.frame import OF_SELF, Frame, Passed
from devlint.source.flow.state.lattice import map_devices
from devlint.source.flow.state.values import (
    SCALAR,
    TOP,
    Alternatives,
    Array,
    Batch,
    ClassValue,
    Container,
    FunctionValue,
    Generator,
    Instance,
    Literal,
    Method,
    Module,
    Optimizer,
    Placer,
    Preprocessor,
    Super,
    Tensor,
    Value,
)
from devlint.source.flow.syntax.decorators import is_class_method, is_static
from devlint.source.flow.syntax.elements import part_of
from devlint.source.flow.syntax.movers import MOVERS
from devlint.source.walk import path, walk


def call(frame: Frame, node: ir.Call, method: Method, passed: Sequence[Passed]) -> Value:
    """The value of a method call."""
    receiver, name = method.receiver, method.name
    match receiver:
        case Tensor() | Alternatives():
            return _tensor_method(frame, node, method, receiver, passed)
        case Batch():
            return _batch_method(frame, node, method, receiver, passed)
        case Module():
            return _module_method(frame, node, method, receiver, passed)
        case ClassValue(info=info):
            return _method_of_class(frame, node, method, info, passed)
        case Super(info=info):
            return _inherited_method(frame, node, method, info, passed)
        case Placer():
            return frameworks.call_placer(frame, node, receiver, name, passed)
        case Preprocessor():
            return frameworks.preprocess(node, receiver, name, passed)
        case Instance():
            return _instance_method(frame, node, method, receiver, passed)
        case Container():
            return call_of_container(frame, method, receiver, passed)
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
                    builtin_calls.note_formatting(frame, argument)
            return SCALAR
        case _:
            return _unknown_method(frame, node, method, passed)


def _unknown_method(frame: Frame, node: ir.Call, method: Method, passed: Sequence[Passed]) -> Value:
    """A method of something unknown: a name that only tensors have shows that it is one."""
    # It may wait for the device, as `stream.synchronize()` does.
    frame.waited()
    _hand_over(frame, passed)
    # `x = layer.weight` may be a method of something, until it is moved for its effect.
    is_moved = isinstance(method.receiver, Method) and frame.dropped == node.id
    note_tensors_asked_for(frame, node, passed)
    if method.name == "numpy" and not passed:
        note_array(frame, node.id, "torch.Tensor.numpy", Tensor(), method.receiver_expression)
    if method.receiver is not TOP and not is_moved:
        return TOP
    if method.name in MOVERS:
        # A tensor, a module or a batch, now on another device.
        moved = moves.move(frame, node, Tensor(evident=False), method.name, passed)
        return TOP if isinstance(moved, Tensor) and moved.device == UNKNOWN else moved
    if method.name in tensor_only_attributes():
        return _tensor_method(frame, node, method, Tensor(), passed)
    return TOP


def _hand_over(frame: Frame, passed: Sequence[Passed]) -> None:
    """A method that is not known may move the modules that it is given."""
    for argument in passed:
        moved_modules.hand_over(frame, argument.expression, argument.value)


def call_unbound(frame: Frame, node: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """`torch.Tensor.add(x, y)`."""
    operator = find(name)
    return TOP if operator is None else operations.apply(frame, node.id, operator, passed)


def _tensor_method(
    frame: Frame, node: ir.Call, method: Method, receiver: Tensor | Alternatives, passed: Sequence[Passed]
) -> Value:
    if method.name in MOVERS:
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
        # No tensor then, perhaps: `stream.synchronize()` of a parameter.
        frame.waited()
        _hand_over(frame, passed)
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


def _is_dropped(frame: Frame, node: ir.Call, receiver: Batch) -> bool:
    """Whether a move is made for its effect alone, by what may well move in place."""
    return receiver.in_place is None and frame.dropped == node.id


OF_BATCHES = MOVERS | VIEWS | {"get", "pop", "update"}
"""What objects that hold tensors have besides the tensors."""


def _batch_method(
    frame: Frame, node: ir.Call, method: Method, receiver: Batch, passed: Sequence[Passed]
) -> Value:
    """What a data loader yields may be a tensor, a dict or an object that moves like one."""
    tensor = receiver.tensor
    match method.name:
        case "items" | "values" | "keys":
            return view(method.name, Batch(tensor))
        case "get" | "pop":
            return Batch(tensor)
        case name if name in MOVERS and (receiver.in_place or _is_dropped(frame, node, receiver)):
            return moves.move(frame, node, receiver, name, passed)
        case _:
            evident = replace(tensor, evident=True)
            return _tensor_method(frame, node, method, evident, passed)


def _module_method(
    frame: Frame, node: ir.Call, method: Method, receiver: Module, passed: Sequence[Passed]
) -> Value:
    name = method.name
    if name in MOVERS:
        return moves.move(frame, node, receiver, name, passed)
    if name == "forward":
        return modules.call_module(
            frame, node, receiver, passed, forward_output(frame, node, receiver, passed)
        )
    if name == "generate" and frameworks.is_pretrained(receiver):
        modules.call_module(frame, node, receiver, passed, TOP)
        return Tensor(receiver.device, receiver.origin)
    if name in _RETURN_SELF:
        return receiver
    if name in VIEWS and part_of(receiver) is not TOP:
        return view(name, part_of(receiver))
    if name in _STATE:
        tensor = Tensor(receiver.device, receiver.origin, evident=receiver.evident)
        if name in _ONE_OF_STATE:
            return tensor
        return Container(Container(TOP, ((0, SCALAR), (1, tensor))) if name.startswith("named_") else tensor)
    if name in _UNSETTLING or (name == "load_state_dict" and _takes_over(passed)):
        moved_modules.take_apart(frame, method.receiver_expression, receiver)
        return receiver
    if receiver.info is not None:
        found = receiver.info.method(name)
        if found is not None:
            if _moves_receiver(found[0]):
                moved_modules.take_apart(frame, method.receiver_expression, receiver)
            return of_module(call_method(frame, node.id, *found, passed, receiver), receiver)
    return TOP


_UNSETTLING = frozenset({"to_empty", "_apply", "register_forward_pre_hook", "register_forward_hook"})
"""Methods after which nothing is known of where a module wants its inputs or gives its output: a hook may
bring either elsewhere."""


def _moves_receiver(function: ir.Function) -> bool:
    """Whether a method moves the module that it is called on: `self.to(device)`."""
    calls = (node.function for node in walk(function.body) if isinstance(node, ir.Call))
    return any(path(called) in _MOVES_OF_SELF for called in calls)


_MOVES_OF_SELF = frozenset(f"self.{name}" for name in (*MOVERS, "to_empty"))


def _takes_over(passed: Sequence[Passed]) -> bool:
    """Whether `load_state_dict` puts what it is given in the place of the parameters."""
    assign = keyword(passed, "assign", 2)
    return assign is not None and assign.value != Literal(value=False)


def _construct_base(frame: Frame, passed: Sequence[Passed]) -> None:
    """`super().__init__(...)`: what the constructor of a base of the project is given."""
    bases = frame.info.lineage()[1:] if frame.info is not None else []
    if bases:
        frame.program.construct(bases[0], passed)


_RETURN_SELF = frozenset(
    {"train", "eval", "requires_grad_", "half", "float", "double", "bfloat16", "apply", "share_memory"}
)
_ONE_OF_STATE = frozenset({"get_parameter", "get_buffer"})
_STATE = _ONE_OF_STATE | {"parameters", "buffers", "named_parameters", "named_buffers", "state_dict"}


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
    receiver: Value | None,
) -> Value:
    """The value of a call of a method of a class of the file; a static one has no receiver."""
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
    return _method_of_module(frame, node, method, receiver, passed)


def _inherited_method(
    frame: Frame, node: ir.Call, method: Method, info: ClassInfo, passed: Sequence[Passed]
) -> Value:
    """`super().name(...)`: the method of a base, on the same object."""
    receiver, found = Instance(info), info.inherited(method.name)
    is_constructor = method.name == CONSTRUCTOR
    if is_constructor:
        frame.constructed = True
        _construct_base(frame, passed)
    if found is None:
        return _method_of_module(frame, node, method, receiver, passed)
    returned = call_method(frame, node.id, *found, passed, receiver)
    if is_constructor:
        _bind_again(frame, found[1])
    return returned


def _bind_again(frame: Frame, base: ClassInfo) -> None:
    """The constructor of a base has replaced what was bound before to the attributes that it sets."""
    for name in list(frame.assigned):
        _, held = modules.attribute_value(base, name)
        if held is not None:
            frame.rebind(f"self.{name}", held)


def _method_of_class(
    frame: Frame, node: ir.Call, method: Method, info: ClassInfo, passed: Sequence[Passed]
) -> Value:
    """`Base.make(self, ...)`, and what classes are asked for themselves."""
    found = info.method(method.name)
    if found is None:
        return TOP
    function, base = found
    if is_static(function):
        return call_method(frame, node.id, *found, passed, None)
    if not is_class_method(function):
        receiver = passed[0].value if passed and not passed[0].stars else TOP
        return call_method(frame, node.id, *found, passed[1:], receiver)
    returned = call_method(frame, node.id, *found, passed, ClassValue(info))
    # What a base makes of the class that it is given is not followed.
    return TOP if base is not info and isinstance(returned, Instance | Module) else returned


def _method_of_module(
    frame: Frame, node: ir.Call, method: Method, receiver: Instance, passed: Sequence[Passed]
) -> Value:
    """What an object has from `nn.Module`, if it is one."""
    if receiver.info.is_module:
        if method.name in MOVERS:
            in_constructor = frame.is_constructor
            receiver.info.moved_by_constructor = receiver.info.moved_by_constructor or in_constructor
            return receiver
        if method.name in _RETURN_SELF:
            return receiver
        if method.name in _STATE:
            return _module_method(frame, node, method, Module(OF_SELF, info=receiver.info), passed)
        return _instance_state_method(frame, method.name, passed)
    return TOP


_REGISTRARS = frozenset(
    {"register_buffer", "register_parameter", "add_module", "register_module", "add_state"}
)
"""Methods that make a tensor or a module state of `self`; `add_state` is that of TorchMetrics."""


def _register_elsewhere(frame: Frame, name: str, passed: Sequence[Passed]) -> None:
    """`self.register_lazy_buffer("mask")`: a base makes something of the name."""
    key = passed[0].value if passed else TOP
    if name.startswith("register_") and isinstance(key, Literal) and isinstance(key.value, str):
        frame.bind(f"self.{key.value}", TOP)
        frame.assigned.setdefault(key.value, []).append(TOP)


def _instance_state_method(frame: Frame, name: str, passed: Sequence[Passed]) -> Value:
    """`self.register_buffer("mask", t)`, `self.add_module("net", m)`."""
    given = keyword(passed, "default" if name == "add_state" else "tensor", 1) or keyword(passed, "module")
    if name not in _REGISTRARS or not passed or given is None:
        _register_elsewhere(frame, name, passed)
        return TOP
    key, value = passed[0].value, given.value
    if isinstance(key, Literal) and isinstance(key.value, str):
        if isinstance(value, Tensor):
            step = OriginStep(Step.DERIVED, given.expression.id, value.device, name)
            value = replace(value, origin=value.origin.then(step))
        elif value == Literal(None) or isinstance(value, Container):
            # A place for what comes later.
            value = TOP
        frame.bind(f"self.{key.value}", value)
        frame.assigned.setdefault(key.value, []).append(value)
    return Literal(None)
