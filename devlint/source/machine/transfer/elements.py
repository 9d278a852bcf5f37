"""Elements: the value of `owner[indices]`."""

from __future__ import annotations

from devlint.model import CPU, Presumed, Rank0, is_accelerator
from devlint.operators import find
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input, of_input, one_of_many, placed
from devlint.source.machine.domain.lattice import join_all, scalar_type
from devlint.source.machine.domain.loops import is_inside
from devlint.source.machine.domain.option_values import GivenText
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    NONE,
    STRING,
    TOP,
    Array,
    External,
    Imported,
    Known,
    Method,
    Reference,
    Scalar,
    Shape,
    Tensor,
    Union,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.keys import texts_of, under_key
from devlint.source.machine.heap.objects import ELEMENT, Container, Instance, ModuleFile
from devlint.source.machine.heap.registries import await_registration
from devlint.source.machine.library import environment, external_objects, launcher, numpy_results
from devlint.source.machine.library.container_methods import fill_in
from devlint.source.machine.modules.parts import attribute_as_module, is_opaque, submodule
from devlint.source.machine.modules.state import is_module
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.operators.operands import unpacked_indices
from devlint.source.machine.operators.waits import note_index_read, note_index_reads
from devlint.source.machine.transfer.drawing import drawn, drawn_by_key
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.paths import assumed
from devlint.source.walk import walk


def element(
    machine: Interpreter,
    owner: Value,
    receiver: Passed,
    indices: list[Passed],
    frame: Frame,
    node: ir.Expression,
) -> Value:
    """`owner[indices]`."""
    match owner:
        case Tensor(source=Input() as source) if any(_is_text(each.value) for each in indices):
            copied = placed(source, owner.device, owner.confidence, owner.born)
            return element(machine, copied, receiver, indices, frame, node)
        case Tensor():
            operator = find("torch.Tensor.__getitem__")
            assert operator is not None
            indices = unpacked_indices(indices, frame)
            _note_positions(indices)
            result = apply(machine, frame.site(node), operator, [receiver, *indices])
            return _rank_of_element(machine, owner, result, indices, frame)
        case Input() if any(_is_tensor(each.value) for each in indices):
            tensor = tensor_of(owner)
            if tensor is None:
                return TOP
            if any(map(_is_several_from_device, indices)):
                owner.evident = True  # no array or list takes such an index
            return element(machine, tensor, receiver, indices, frame, node)
        case Input():
            if owner.of_forward and len(indices) > 1 and not owner.refuted:
                owner.evident = True  # hardly anything else that a forward is given takes several indices
            changes = any(_may_change(each.value) for each in indices)
            found = one_of_many(owner, machine.execution.loop) if changes else of_input(owner, owner.born)
            if any(map(_selects, indices)):
                found.basis = owner
                owner.has_dimensions = owner.has_dimensions or len(indices) > 1
                found.has_dimensions = owner.has_dimensions
            if owner.device != CPU and any(_is_text(each.value) for each in indices):
                # What has named parts is a mapping, and not all of them are tensors. Those of a batch are,
                # which lies on the host.
                found.part, found.evident = True, owner.holds_tensors
            return found
        case Reference(target=Container() as held):
            machine.read(held)
            if held.kind in ("list", "tuple") and any(_is_text(each.value) for each in indices):
                return TOP  # a sequence has no names: it raises
            if held.kind != "dict":
                note_index_reads(machine, indices)
            for each in alternatives(indices[0].value) if held.factory is not None else ():
                fill_in(machine, held, each, Call([], frame, node))
            indices = [_as_tested(machine, held, each, frame) for each in indices]
            item = _of_container(machine, held, indices[0].value if len(indices) == 1 else TOP)
            if isinstance(item, Imported):
                return machine.resolved(item)
            if any(_may_change(each.value) for each in indices):
                return drawn(machine, item)
            of_turn = any(_is_of_turn(machine, each, frame) for each in indices)
            return drawn_by_key(machine, item) if of_turn else item
        case Reference(target=Instance() as instance):
            return _of_instance(machine, instance, owner, indices, frame, node)
        case External(name=environment.ENVIRONMENT):
            return launcher.required(machine, indices[0].value)
        case External(name="sys.modules"):
            return _of_modules(machine, indices[0].value, frame)
        case Reference(target=Class()) | External():
            return owner
        case Array():
            note_index_reads(machine, indices)
            part = numpy_results.element_of(owner, indices)
            is_same = all(_is_same_part(machine, each, frame) for each in indices)
            return part if is_same or not isinstance(part, Array) else changed(part, held=False)
        case Known(value=str()):
            return _of_text(owner, indices[0].value if len(indices) == 1 else TOP)
        case Scalar():
            return STRING
        case Method() if (part := attribute_as_module(machine, owner)) is not owner:
            return element(machine, part, receiver, indices, frame, node)
        case _:
            return TOP


def _note_positions(indices: list[Passed]) -> None:
    """Record that a tensor which a function takes as an index has several elements: callers give a number
    where they mean one."""
    for each in indices:
        if isinstance(each.value, Input) and each.value.evident and each.value.given_to is not None:
            each.value.has_dimensions = True


def _of_modules(machine: Interpreter, name: Value, frame: Frame) -> Value:
    """`sys.modules["models.resnet"]`, which the program has imported; `sys.modules[__name__]`, the file
    itself."""
    if not isinstance(name, Known) or not isinstance(name.value, str):
        return TOP
    if name.value == frame.file.name:
        return machine.adopt(ModuleFile(frame.file))
    return machine.resolved(Imported(name.value, "", frame.file))


def _is_tensor(index: Value) -> bool:
    return isinstance(index, Tensor) or (isinstance(index, Input) and index.evident and index.boolean is True)


def _selects(index: Passed) -> bool:
    """Whether an index of a tensor selects a tensor, and one of an array an array."""
    return isinstance(index.expression, (ir.Dots, ir.Slice)) or isinstance(index.value, Array)


def _is_text(held: Value) -> bool:
    return isinstance(held, Known) and isinstance(held.value, str)


def _rank_of_element(
    machine: Interpreter, owner: Tensor, result: Value, indices: list[Passed], frame: Frame
) -> Value:
    """The dimensions after slicing and indexing: a slice keeps a dimension, a number removes one.

    A tensor that is sliced although it seems to have no dimensions has no elements, and its slice neither.
    """
    if not isinstance(result, Tensor):
        return result
    sliced = any(isinstance(each.expression, ir.Slice) for each in indices)
    if sliced and owner.rank0 is True:
        return changed(result, rank0=True, serial=new_serial())
    keeps = sliced or any(each.value == NONE for each in indices)
    keeps = keeps or (owner.shape is not None and len(owner.shape) > len(indices))  # an index removes one
    ranks = [each.value.rank0 for each in indices if isinstance(each.value, Tensor)]
    presumed = Presumed.DIMENSIONS in ranks or any(map(_takes_several, indices))
    rank0: Rank0 = False if keeps or False in ranks else Presumed.DIMENSIONS if presumed else None
    if rank0 is None and len(indices) > 1 and all(_is_number(each.value) for each in indices):
        rank0 = Presumed.PERHAPS
    changes = any(_may_change(each.value) for each in indices)
    of_turn = changes or any(_is_of_turn(machine, each, frame) for each in indices)
    row = _shape_of_element(owner, indices) if owner.shape else None
    return changed(
        result,
        rank0=not row if row is not None else rank0,
        shape=row,
        element=owner.element or (len(indices) == 1 and _counts(indices[0].value)),
        boolean=owner.boolean,
        floating=owner.floating,
        born=machine.execution.loop if of_turn else owner.born,
        pinned=False if changes and rank0 is False and _is_kept_on_host(machine, owner) else result.pinned,
        serial=new_serial(),
    )


def _takes_several(index: Passed) -> bool:
    """Whether an index is an array or a list, most likely of several positions."""
    held = index.value
    if isinstance(held, Reference) and isinstance(held.target, Container):
        return held.target.kind == "list"
    return isinstance(held, Array) and not held.may_be_number


def _is_kept_on_host(machine: Interpreter, owner: Tensor) -> bool:
    """Whether a tensor lies in pageable memory since before the loop that takes parts of it, and is not known
    to be a single row, such as that of the labels, whose parts are small."""
    loop, made = machine.execution.loop, owner.origin.made()
    if loop is None or made is None or owner.device != CPU or owner.pinned is not None:
        return False
    if owner.shape is not None and len(owner.shape) == 1:
        return False
    return not is_inside(owner.born, loop)


def _shape_of_element(owner: Tensor, indices: list[Passed]) -> Shape | None:
    """The sizes after indexing; None if the number of dimensions is not known."""
    sizes = [*(owner.shape or ())]
    shape: list[int | None] = []
    for each in indices:
        if each.value == NONE:
            shape.append(1)
            continue
        if not sizes:
            return None
        size = sizes.pop(0)
        match each:
            case Passed(expression=ir.Slice(lower=None, upper=None, step=None)):
                shape.append(size)
            case Passed(expression=ir.Slice()):
                shape.append(0 if size == 0 else None)  # a part of nothing is nothing
            case Passed(value=Tensor(boolean=False, shape=(_, *_) as places)) if len(indices) == 1:
                shape += places
            case Passed(value=index) if _is_number(index):
                pass
            case _:
                return None
    return (*shape, *sizes)


def _is_number(index: Value) -> bool:
    return isinstance(index, (Known, Scalar)) and scalar_type(index) == "int"


def _counts(index: Value) -> bool:
    """Whether an index counts the turns of a loop, which so iterates over the elements."""
    return isinstance(index, Scalar) and index.counter


def _may_change(index: Value) -> bool:
    """Whether an index may differ in the next turn of a loop."""
    if isinstance(index, Method) and isinstance(index.receiver, Reference):
        return any(map(_may_change, index.receiver.target.cells.values()))
    return not isinstance(index, Known)


def _is_of_turn(machine: Interpreter, index: Passed, frame: Frame) -> bool:
    """Whether an index contains a name that each turn of the innermost loop binds to another element."""
    loop = machine.execution.loop
    if loop is None or loop.frame is not frame or not loop.names:
        return False
    return any(isinstance(each, ir.Name) and each.name in loop.names for each in walk((index.expression,)))


def _is_same_part(machine: Interpreter, index: Passed, frame: Frame) -> bool:
    """Whether an index most likely selects the same part in each turn of a loop: its bounds are constants, or
    attributes such as the number of elements in use."""
    if _is_of_turn(machine, index, frame) or not isinstance(index.expression, ir.Slice):
        return False
    bounds = (index.expression.lower, index.expression.upper, index.expression.step)
    return all(each is None or isinstance(each, (ir.Attribute, ir.Constant)) for each in bounds)


def _of_container(machine: Interpreter, held: Container, index: Value) -> Value:
    if isinstance(index, Union):
        return join_all(_of_container(machine, held, each) for each in index.alternatives)
    if held.kind == "dict":
        if isinstance(index, GivenText) and held.exact:
            index = Known(machine.text_of(index, texts_of(held)) or index.default)
        await_registration(machine, held, index)
        found = under_key(held, index)
        return TOP if found is None else found
    if isinstance(index, Known):
        key = index.value
        if isinstance(key, int) and key < 0 and held.exact:
            key += held.length
        found = held.cells.get(key)
        if found is not None:
            return found
        rest = held.element
        return rest if rest is not None else join_all(held.items)
    if isinstance(index, Method):  # a slice; see `slice_of`
        return machine.adopt(_sliced(held, index))
    return join_all(held.cells.values())


def _is_several_from_device(index: Passed) -> bool:
    """Whether an index is a tensor with dimensions on an accelerator."""
    held = index.value
    return isinstance(held, Tensor) and held.rank0 is False and is_accelerator(held.device)


def _as_tested(machine: Interpreter, held: Container, index: Passed, frame: Frame) -> Passed:
    """An index with the key that an unknown one equals on this path, or by a choice for the whole run."""
    place = index.expression
    if (
        held.kind != "dict"
        or isinstance(index.value, Known)
        or not isinstance(place, (ir.Name, ir.Attribute))
    ):
        return index
    for name in texts_of(held) if machine.assumed or machine.chosen else ():
        if assumed(machine, ir.Compare(place.id, place, (("eq", ir.Constant(place.id, name)),)), frame):
            return index._replace(value=Known(name))
    return index


def _of_text(owner: Known, index: Value) -> Value:
    """A part of a known string."""
    part = (
        _known_slice(index)
        if isinstance(index, Method)
        else index.value
        if isinstance(index, Known)
        else None
    )
    if not isinstance(owner.value, str) or not isinstance(part, (int, slice)):
        return STRING
    try:
        return changed(owner, value=owner.value[part])
    except (IndexError, ValueError):
        return STRING


def _known_slice(index: Method) -> slice | None:
    """The bounds of a slice, if all of them are known."""
    bounds = index.receiver
    if not isinstance(bounds, Reference) or not isinstance(bounds.target, Container):
        return None
    lower, upper, step = (each.value if isinstance(each, Known) else "" for each in bounds.target.items)
    known = all(each is None or isinstance(each, int) for each in (lower, upper, step))
    return slice(lower, upper, step) if known else None


def _sliced(held: Container, index: Method) -> Container:
    bounds = _known_slice(index) if held.exact else None
    if bounds is not None:
        return Container(held.kind, held.items[bounds])
    if not held.cells:
        return Container(held.kind)
    return Container(held.kind, element=join_all(held.cells.values()))


def _of_instance(
    machine: Interpreter,
    instance: Instance,
    owner: Value,
    indices: list[Passed],
    frame: Frame,
    node: ir.Expression,
) -> Value:
    own = machine.method_of(owner, "__getitem__")
    if own is not None:
        return machine.call(own, Call(_as_one_index(machine, indices), frame, node))
    machine.read(instance)
    if is_opaque(instance):
        return submodule(machine, instance)
    if is_module(instance):
        index = indices[0].value if indices else TOP
        if isinstance(index, Known) and ELEMENT not in instance.cells:
            key = index.value
            children = [each for name, each in instance.cells.items() if isinstance(name, (int, str))]
            if isinstance(key, int) and -len(children) <= key < len(children):
                return children[key]
            return instance.cells.get(key, TOP)
        return join_all(instance.cells.values()) if not isinstance(index, Method) else owner
    return external_objects.element(machine, instance, indices, frame, node)


def _as_one_index(machine: Interpreter, indices: list[Passed]) -> list[Passed]:
    plain = [each._replace(keyword="") for each in indices]
    if len(plain) == 1:
        return plain
    held = machine.adopt(Container("tuple", [each.value for each in plain]))
    return [plain[0]._replace(value=held)]


def slice_of(machine: Interpreter, node: ir.Slice, frame: Frame) -> Value:
    """`lower:upper:step`; the host reads bounds that are tensors."""
    bounds = [
        NONE if each is None else machine.evaluate(each, frame)
        for each in (node.lower, node.upper, node.step)
    ]
    for each, expression in zip(bounds, (node.lower, node.upper, node.step), strict=True):
        if expression is not None:
            note_index_read(machine, Passed(each, expression, frame.site(expression)))
    return Method(machine.adopt(Container("tuple", bounds)), "slice")
