"""Attributes: reading and setting `owner.name`."""

from __future__ import annotations

from devlint.model import CPU, Concrete, Confidence, is_accelerator
from devlint.operators import ResultKind, find, tensor_only_attributes
from devlint.source import ir
from devlint.source.machine.domain import dtypes
from devlint.source.machine.domain.dtypes import QUESTIONS, Dtype
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.kinds import kind_of
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.naming import as_kind
from devlint.source.machine.domain.tensors import is_empty, tensor_of
from devlint.source.machine.domain.values import (
    AVAILABLE,
    BOOL,
    DTYPE,
    INT,
    NONE,
    STRING,
    TOP,
    UNAVAILABLE,
    Array,
    DeviceValue,
    External,
    GeneratorValue,
    Known,
    Method,
    Object,
    Reference,
    Scalar,
    Tensor,
    Top,
    Union,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.classes import class_lookup, class_of
from devlint.source.machine.heap.derived_containers import as_dict
from devlint.source.machine.heap.files import Class, Function
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.keys import has_ordinal
from devlint.source.machine.heap.objects import ELEMENT, BoundMethod, Container, Instance, ModuleFile, Super
from devlint.source.machine.library import constructors, external_objects, graphs
from devlint.source.machine.library.autograd_functions import is_autograd_function
from devlint.source.machine.library.members import METHODS_OF_OTHERS, has_attribute
from devlint.source.machine.library.names import external_attribute
from devlint.source.machine.library.options import chosen
from devlint.source.machine.library.parsers import NAMESPACE
from devlint.source.machine.modules import state
from devlint.source.machine.modules.parts import is_opaque, parameter, submodule
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.operators.devices import note_query
from devlint.source.machine.operators.gradients import gradient_of
from devlint.source.machine.operators.shapes import size_at
from devlint.source.machine.transfer.attributes_of_inputs import attribute_when_passed
from devlint.source.machine.transfer.cells import cell
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import text

_SHAPES = frozenset({"shape", "names"})
_NUMBERS = frozenset({"ndim", "itemsize", "nbytes", "output_nr", "_version"})
_FLAGS = frozenset({"is_cuda", "is_cpu", "is_sparse", "is_leaf", "requires_grad", "is_quantized", "is_mps"})
_ASKED_KINDS = {"is_cuda": "cuda", "is_cpu": "cpu", "is_mps": "mps"}
_ADDRESSES = frozenset({"__array_interface__", "ctypes"})
"""Attributes of arrays that tell their address."""
_TYPES = ("torch.Tensor", "numpy.ndarray")
"""The classes of tensors and of arrays. Another external name may be that of a module, whose `__name__` is
all of it."""
_AMBIGUOUS = frozenset({"name", "names", "layout", "config", "type", "dtype"})
"""Attributes of tensors that many other objects have too."""


def attribute(machine: Interpreter, owner: Value, name: str, frame: Frame, node: ir.Expression) -> Value:
    """`owner.name`."""
    match owner:
        case Reference(target=target):
            return of_object(machine, target, owner, name, frame, node)
        case Tensor() | Array() if name == "__class__":
            return External(_TYPES[0] if isinstance(owner, Tensor) else _TYPES[1])
        case Tensor():
            return of_tensor(machine, owner, name, frame, node)
        case Dtype() | External() if name in QUESTIONS and (held := dtypes.named(owner)) is not None:
            known = dtypes.answer(held, name)
            return BOOL if known is None else Known(known)
        case External(name=head):
            named = name == "__name__" and head in _TYPES
            return Known(head.split(".")[-1]) if named else external_attribute(head, name)
        case Input():
            return _of_input(machine, owner, name, frame, node)
        case Union(alternatives=members):
            return join_all(attribute(machine, each, name, frame, node) for each in members if each != NONE)
        case DeviceValue():
            return _of_device(owner, name, node)
        case Array():
            if name in _ADDRESSES and isinstance(node, ir.Attribute):
                _share(machine, owner, node.value, frame)
            return _of_array(owner, name)
        case GeneratorValue(device=device) if name == "device":
            return DeviceValue(device)
        case Method(receiver=receiver) if name == "__self__":
            return receiver
        case _:
            return TOP if isinstance(owner, (Known, Top)) and name in _ASKED_KINDS else Method(owner, name)


def of_tensor(machine: Interpreter, tensor: Tensor, name: str, frame: Frame, node: ir.Expression) -> Value:
    """An attribute of a tensor."""
    if tensor.source is not None and (not tensor.assured or tensor.source.of_forward):
        _show_tensor(tensor.source, name, reads=_READS_OF_TENSORS)
    if name == "device":
        note_query(machine, frame.site(node), tensor.device)
        source = tensor.source
        # If the input is a number, the tensor is where its other operand is.
        doubted = tensor.assured and source is not None and not source.evident
        confidence = Confidence.POSSIBLE if doubted else tensor.confidence
        return DeviceValue(tensor.device, text(node), confidence, of_tensor=True)
    if name == "shape" and is_empty(tensor):
        sizes = [size_at(tensor, Known(at)) for at in range(len(tensor.shape or ()))]
        return machine.adopt(Container("tuple", sizes))
    if name in _SHAPES:
        return machine.adopt(Container("tuple", element=INT))
    if name in _NUMBERS:
        return INT
    if name in _FLAGS:
        note_query(machine, frame.site(node), tensor.device)
        kind = kind_of(tensor.device)
        asked = _ASKED_KINDS.get(name)
        if kind is None or asked is None:
            return BOOL
        return Known(kind == asked) if kind == str(CPU) else AVAILABLE if kind == asked else UNAVAILABLE
    if name == "data":
        return changed(tensor, role="", in_graph=False)
    if name == "grad":
        return gradient_of(machine, tensor)
    if name == "dtype":
        return dtypes.as_value(tensor)
    operator = find(f"torch.Tensor.{name}")
    if operator is None:
        return Method(tensor, name)
    if isinstance(node, ir.Attribute) and name in _PROPERTIES:
        receiver = Passed(tensor, node.value, frame.site(node.value))
        return apply(machine, frame.site(node), operator, [receiver])
    return Method(tensor, name)


_PROPERTIES = frozenset({"T", "H", "mT", "mH", "real", "imag", "_base"})


def _of_input(machine: Interpreter, owner: Input, name: str, frame: Frame, node: ir.Expression) -> Value:
    if owner.may_be_none is None:
        owner.may_be_none = False  # None has no such attribute
    assigned = machine.assigned.of(owner)
    if assigned is not None and name in assigned.cells:
        machine.read(assigned)
        return assigned.cells[name]
    if assigned is not None and name == "__dict__":
        return machine.adopt(as_dict(assigned))
    if name == "device":
        if owner.refuted:
            return DeviceValue(owner.device, text(node), Confidence.POSSIBLE)
        note_query(machine, frame.site(node), owner.device)
        owner.has_device = True
        owner.show_tensor()
        # A value that a program has moved to a device contains tensors, if it is no tensor itself.
        holds_tensors = owner.evident or isinstance(owner.device, Concrete)
        return DeviceValue(owner.device, text(node), owner.confidence, of_tensor=holds_tensors)
    if name == "shape":
        owner.has_dimensions = True
    _show_tensor(owner, name, reads=_READS)
    if name == "dtype":
        return DTYPE
    tensor = tensor_of(owner)
    operator = find(f"torch.Tensor.{name}")
    is_attribute = name in _SHAPES or name in _NUMBERS or name in _FLAGS or name in _PROPERTIES
    if tensor is not None and (is_attribute or name in ("data", "grad")) and name not in _AMBIGUOUS:
        return of_tensor(machine, tensor, name, frame, node)
    if operator is not None and operator.result.kind is not ResultKind.OTHER:
        return Method(owner, name)
    if name in METHODS_OF_OTHERS or (name == "pop" and owner.holds_tensors):
        return Method(owner, name)
    if owner.holds_tensors and owner.refuted:
        return graphs.entry(owner, name)
    return attribute_when_passed(owner, name, text(node))


def _show_tensor(owner: Input, name: str, reads: frozenset[str]) -> None:
    """Record that an input is a tensor, if the program reads an attribute that only tensors have, of the
    input or of a value computed from it."""
    shows = name in tensor_only_attributes() or ((owner.presumed or owner.part) and name in reads)
    if shows and not owner.refuted:
        owner.evident = True


_READS = frozenset({"item", "cpu", "detach", "numpy", "tolist"})
"""Attributes of tensors that modules do not have."""
_READS_OF_TENSORS = frozenset({"cpu", "detach"})
"""Attributes of tensors that arrays do not have either."""


def _of_device(owner: DeviceValue, name: str, node: ir.Expression) -> Value:
    if owner.is_string:
        return Method(owner, name)
    match owner.device, name:
        case Concrete(type=kind), "type":
            return as_kind(Known(kind))
        case Concrete(index=None), "index":
            return Scalar("int", least=0) if has_ordinal(owner) and is_accelerator(owner.device) else NONE
        case Concrete(index=index), "index":
            return Known(index)
        case device, "type":
            known = kind_of(device) is not None
            return changed(owner, text=text(node), is_string=True, is_type=True) if known else STRING
        case _, "index":
            return INT
        case _:
            return TOP


def _share(machine: Interpreter, held: Array, place: ir.Expression, frame: Frame) -> None:
    """Let code that is not Python have the address of an array: it may write to the array at any time."""
    kept = cell(machine, place, frame) if isinstance(place, (ir.Name, ir.Attribute)) else None
    if kept is not None:
        machine.store.write(*kept, changed(held, held=False))


def _of_array(owner: Array, name: str) -> Value:
    if name in ("T", "real", "imag", "values", "loc", "iloc"):
        return owner
    if name == "flat":
        return changed(owner, least=0)
    if name in ("ndim", "size"):
        return INT
    return Method(owner, name) if name != "shape" else TOP


def of_object(
    machine: Interpreter, target: Object, owner: Value, name: str, frame: Frame, node: ir.Expression
) -> Value:
    """An attribute of an object of the heap."""
    match target:
        case Instance():
            return _of_instance(machine, target, owner, name, frame, node)
        case Class():
            return _of_class(machine, target, owner, name)
        case ModuleFile():
            return machine.exported(target.file, name)
        case Super():
            return _of_super(machine, target, name, frame, node)
        case Function() if name == "__name__":
            return Known(target.name)
        case Function() | BoundMethod():
            return target.cells.get(name, Method(owner, name))
        case Container() if name in target.cells and target.kind == "dict":
            return target.cells[name]
        case Container(kind="tuple") if isinstance(target.cells.get(ELEMENT), Tensor) and not hasattr(
            tuple, name
        ):
            # A named tuple of torch: `x.max(dim=1).values`.
            return target.cells[ELEMENT]
        case _:
            return TOP if isinstance(target, Container) and name in _ASKED_KINDS else Method(owner, name)


def _of_instance(
    machine: Interpreter, instance: Instance, owner: Value, name: str, frame: Frame, node: ir.Expression
) -> Value:
    found, home = class_lookup(instance.of, name)
    function = found.target if isinstance(found, Reference) else None
    if isinstance(function, Function) and "property" in function.marks:
        return machine.call_function(function, Call([], frame, node), receiver=owner)
    machine.read(instance)
    held = instance.cells.get(name)
    if held is not None:
        if instance.drawn is not None and isinstance(held, Tensor):
            return changed(held, born=instance.drawn)
        if instance.of == NAMESPACE and machine.world and isinstance(held, Known):
            return chosen(machine, name, held)  # a file that is imported parses its options without a world
        return held
    if name == "__class__":
        return class_of(instance)
    if name == "__dict__":
        return machine.adopt(as_dict(instance))
    if found is not None:
        if home is not None:
            machine.read(home)
        return bound(machine, found, owner, home)
    if state.PARAMETERS in instance.cells and name.startswith(("weight", "bias", "running_", "in_proj")):
        return parameter(instance, name)
    if name in REGISTRIES and state.is_module(instance):
        return machine.adopt(_registered(machine, instance, name))
    if name == "training" and state.is_module(instance):
        return BOOL
    if not isinstance(instance.of, str) and not has_attribute(owner, name):
        fallback, _ = class_lookup(instance.of, "__getattr__")
        if isinstance(fallback, Reference) and isinstance(fallback.target, Function):
            passed = [Passed(Known(name), node, frame.site(node))]
            return machine.call_function(fallback.target, Call(passed, frame, node), receiver=owner)
    return external_objects.attribute(machine, instance, owner, name, node)


REGISTRIES = {"_modules": "", "_parameters": "parameter", "_buffers": "buffer"}
"""The dicts of a module, with the roles of the tensors in them."""


def _registered(machine: Interpreter, module: Instance, registry: str) -> Container:
    """`self._modules`, `self._parameters` and `self._buffers`: the registered values, by name."""
    made = Container("dict")
    if registry == "_modules" and is_opaque(module):
        made.cells[ELEMENT] = submodule(machine, module)
        return made
    made.cells = {
        key: held
        for key, held in module.cells.items()
        if any(_is_in(each, REGISTRIES[registry]) for each in alternatives(held))
    }
    return made


def _is_in(held: Value, role: str) -> bool:
    return held.role == role if isinstance(held, Tensor) else not role and state.module_of(held) is not None


def method_of(machine: Interpreter, owner: Value, name: str) -> Value | None:
    """A method that a class of the project defines, bound to an object."""
    if not isinstance(owner, Reference) or not isinstance(owner.target, Instance):
        return None
    found, home = class_lookup(owner.target.of, name)
    if found is None:
        own = owner.target.cells.get(name) if name in ("forward", "__call__") else None
        return own if isinstance(own, Reference) else None
    return bound(machine, found, owner, home)


def bound(machine: Interpreter, found: Value, receiver: Value, home: Class | None) -> Value:
    """A class's attribute as seen from an object: functions become methods."""
    target = found.target if isinstance(found, Reference) else None
    if not isinstance(target, Function):
        return found
    if "staticmethod" in target.marks:
        return found
    if "classmethod" in target.marks:
        of = receiver.target if isinstance(receiver, Reference) else None
        if isinstance(of, Instance):
            receiver = class_of(of)
        return machine.adopt(BoundMethod(target, receiver))
    if home is None:
        return found
    return machine.adopt(BoundMethod(target, receiver))


def _of_class(machine: Interpreter, target: Class, owner: Value, name: str) -> Value:
    if name == "__name__":
        return Known(target.name)
    found, _ = class_lookup(target, name)
    if found is None and target.metaclass is not None:
        of_metaclass, home = class_lookup(target.metaclass, name)
        if of_metaclass is not None:
            return bound(machine, of_metaclass, owner, home)
    if found is None:
        external = next(iter(target.externals), None)
        is_own = external is None or name in constructors.NAMES
        is_own |= name == "apply" and is_autograd_function(target.externals)
        return Method(owner, name) if is_own else External(f"{external}.{name}")
    function = found.target if isinstance(found, Reference) else None
    if isinstance(function, Function) and "classmethod" in function.marks:
        return machine.adopt(BoundMethod(function, owner))
    return found


def _of_super(machine: Interpreter, target: Super, name: str, frame: Frame, node: ir.Expression) -> Value:
    receiver = target.receiver
    of = receiver.target if isinstance(receiver, Reference) else None
    order = of.of.order if isinstance(of, Instance) and isinstance(of.of, Class) else target.after.order
    start = order.index(target.after) + 1 if target.after in order else 1
    for each in order[start:]:
        if isinstance(each, Class) and name in each.cells:
            found = each.cells[name]
            function = found.target if isinstance(found, Reference) else None
            if isinstance(function, Function) and "property" in function.marks:
                return machine.call_function(function, Call([], frame, node), receiver=receiver)
            return bound(machine, found, receiver, each)
    return Method(receiver, name)
