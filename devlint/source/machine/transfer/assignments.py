"""Assignments: to names, attributes, elements, and to several targets at once."""

from __future__ import annotations

from devlint.model import CPU, UNKNOWN, Cause
from devlint.operators import ResultKind, find, torch_versions
from devlint.source import ir
from devlint.source.machine.domain.identity import with_identity
from devlint.source.machine.domain.inputs import Input, born_in
from devlint.source.machine.domain.lattice import join_all, scalar_type
from devlint.source.machine.domain.naming import as_kind
from devlint.source.machine.domain.tensors import is_empty, tensor_of
from devlint.source.machine.domain.values import (
    TOP,
    Array,
    External,
    Known,
    Reference,
    Scalar,
    Tensor,
    Union,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.objects import ELEMENT, Container, Instance
from devlint.source.machine.library import container_methods, environment
from devlint.source.machine.modules.assignment import add_part, rejects
from devlint.source.machine.modules.state import PARAMETERS, replace_data
from devlint.source.machine.operators.apply import all_correlated, apply, correlated
from devlint.source.machine.operators.move_targets import MOVES
from devlint.source.machine.operators.operands import unpacked_indices
from devlint.source.machine.operators.shapes import as_one_element
from devlint.source.machine.operators.waits import note_index_reads, note_wait
from devlint.source.machine.transfer.arithmetic import numbers, operation
from devlint.source.machine.transfer.cells import note_copy
from devlint.source.machine.transfer.ends import End
from devlint.source.machine.transfer.input_mappings import as_mapping, is_item_of_mapping
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.kept_tests import keep_test


def run_assign(machine: Interpreter, node: ir.Assign, frame: Frame) -> End:
    """`target = value`, with any number of targets."""
    return bind(machine, node, machine.evaluate(node.value, frame), frame)


def bind(machine: Interpreter, node: ir.Assign, value: Value, frame: Frame) -> End:
    """Assign a value to the targets of an assignment."""
    held = with_identity(value)
    if machine.guarded and isinstance(node.value, ir.Constant):
        held = as_kind(held)
    frame.statement = node
    keep_test(machine, node, held, frame)
    note_copy(machine, node, frame)
    if node.annotation is not None and frame.scope.owner is not None and isinstance(node.targets[0], ir.Name):
        _declare(frame.scope.owner, node.targets[0].name)
    for target in node.targets:
        if _is_rejected(machine, target, held, node.value, frame):
            return End.RAISE
        assign(machine, target, held, frame, node.value)
    return End.NEXT


def _is_rejected(
    machine: Interpreter, target: ir.Expression, held: Value, value: ir.Expression, frame: Frame
) -> bool:
    tensors = [each for each in alternatives(held) if isinstance(each, Tensor)]
    if not tensors or not isinstance(target, ir.Attribute):
        return False
    if not isinstance(target.value, (ir.Name, ir.Attribute)):
        return False
    may_be_operand = any(each.origin.was_moved for each in tensors) and not _is_new(value)
    return not may_be_operand and rejects(machine.evaluate(target.value, frame), target.name, held)


def _is_new(value: ir.Expression) -> bool:
    """Whether an expression calls a method of tensors that returns another tensor, as a move need not."""
    match value:
        case ir.CallExpression(function=ir.Attribute(name=name)) if name not in (*MOVES, "contiguous"):
            operator = find(f"torch.Tensor.{name}")
            return operator is not None and operator.result.kind is not ResultKind.SELF
        case _:
            return False


def run_annotation(machine: Interpreter, node: ir.Annotation, frame: Frame) -> End:
    """`name: annotation`, without a value."""
    owner = frame.scope.owner
    if owner is not None and isinstance(node.target, ir.Name):
        _declare(owner, node.target.name)
    return End.NEXT


def _declare(owner: Class, name: str) -> None:
    """Record a field that a class body declares."""
    if name not in owner.fields:
        owner.fields.append(name)


def assign(
    machine: Interpreter, target: ir.Expression, held: Value, frame: Frame, value: ir.Expression | None = None
) -> None:
    """`target = held`."""
    if isinstance(held, Array) and not held.held:
        held = changed(held, held=True, written=machine.execution.loop)
    match target:
        case ir.Name(name=name):
            home = frame.scope.home(name)
            before = home.cells.get(name)
            if isinstance(before, Input) and before.asked and isinstance(held, Array):
                before.evident = False  # otherwise it is an array, which is in host memory
            machine.store.write(home, name, held)
            if machine.watch is not None:
                machine.watch.note(target, held, machine, frame)
        case ir.Attribute(value=owner, name=name):
            owners = machine.evaluate(owner, frame)
            for each in alternatives(owners) if name == "data" else ():
                if isinstance(each, Tensor):
                    _replace_data(machine, owner, each, held, frame)
            machine.set_attribute(owners, name, held, frame, target if value is None else value)
        case ir.Subscript():
            _assign_element(machine, target, held, frame, value)
        case ir.Sequence(elements=elements):
            _unpack(machine, elements, held, frame, value)
        case ir.Starred(value=inner):
            assign(machine, inner, held, frame)
        case _:
            pass


def _replace_data(
    machine: Interpreter, place: ir.Expression, owner: Tensor, held: Value, frame: Frame
) -> None:
    """`tensor.data = held`: the tensor is now on the device of the new data. If that is unknown, a tensor on
    the host may have left it, and one on another device has most likely stayed there."""
    data = tensor_of(held) or Tensor()
    machine.written += 1
    if data.device != owner.device and (data.device != UNKNOWN or owner.device == CPU):
        after = changed(owner, device=data.device, origin=data.origin, confidence=data.confidence)
        module = machine.listed.get(owner.serial)
        if module is not None:
            replace_data(machine, module, owner.role, data)
        update(machine, place, changed(after, rank0=data.rank0, shape=data.shape), frame)
    elif is_empty(owner):  # a tensor without elements is a placeholder
        update(machine, place, changed(owner, rank0=data.rank0, shape=data.shape, serial=owner.serial), frame)


def _unpack(
    machine: Interpreter,
    targets: tuple[ir.Expression, ...],
    held: Value,
    frame: Frame,
    value: ir.Expression | None,
) -> None:
    if value is None and not targets:
        return
    node = targets[0] if value is None else value
    starred = next((at for at, each in enumerate(targets) if isinstance(each, ir.Starred)), None)
    if starred is None:
        held = _of_length(held, len(targets))
    elements = machine.elements(held, frame, node)
    if not elements.exact or (starred is None and len(elements.items) != len(targets)):
        if _unpack_around_star(machine, targets, frame, value):
            return
        rest = join_all(elements.items)
        for at, target in enumerate(targets):
            one = _one_of(rest, at)
            if isinstance(target, ir.Starred):
                one = machine.adopt(Container("list", element=one))
            assign(machine, target, one, frame)
        return
    items: list[Value] = list(elements.items)
    if starred is not None:
        end = len(items) - (len(targets) - starred - 1)
        items[starred:end] = [machine.adopt(Container("list", items[starred:end]))]
    for target, item in zip(targets, items, strict=False):
        assign(machine, target, item, frame)


def _unpack_around_star(
    machine: Interpreter, targets: tuple[ir.Expression, ...], frame: Frame, value: ir.Expression | None
) -> bool:
    """`b, n, device = *x.shape, x.device`, where the number of dimensions is not known: the values before and
    after the star are. Returns whether the value has this form."""
    if not isinstance(value, ir.Sequence):
        return False
    before, star, after = _split_at_star(value.elements)
    if star is None:
        return False
    given = (*before, star.value, *after)
    if not all(isinstance(each, (ir.Name, ir.Attribute, ir.Constant)) for each in given):
        return False  # anything else would be evaluated twice
    first, starred, last = _split_at_star(targets)
    if starred is None:
        end = max(len(targets) - len(after), 0)
        first, last = targets[:end], targets[end:]
    if len(before) > len(first) or (starred is None and len(after) > len(last)):
        return False
    rest = join_all(machine.elements(machine.evaluate(star.value, frame), frame, star).items)
    known = [machine.evaluate(each, frame) for each in before]
    known_last = [machine.evaluate(each, frame) for each in after]
    left = len(after) - len(last)
    inside = machine.adopt(Container("list", element=join_all([rest, *known_last[: max(left, 0)]])))
    items = [*known, *(_one_of(rest) for _ in range(len(first) - len(known)))]
    items_last = [*(_one_of(rest) for _ in range(-left)), *known_last[max(left, 0) :]]
    for target, item in zip((*first, *last), (*items, *items_last), strict=True):
        assign(machine, target, item, frame)
    if starred is not None:
        assign(machine, starred.value, inside, frame)
    return True


def _split_at_star(
    elements: tuple[ir.Expression, ...],
) -> tuple[tuple[ir.Expression, ...], ir.Starred | None, tuple[ir.Expression, ...]]:
    """What stands before the only star, the star, and what stands after it; all first if there is none."""
    stars = [at for at, each in enumerate(elements) if isinstance(each, ir.Starred)]
    star = elements[stars[0]] if len(stars) == 1 else None
    if not isinstance(star, ir.Starred):
        return elements, None, ()
    return elements[: stars[0]], star, elements[stars[0] + 1 :]


def _one_of(rest: Value, at: int = 0) -> Value:
    """The value of one of several targets. A part of an input becomes an input of its own, because the type
    of one part says nothing about the others: of what a module's forward gets, the first part is presumed to
    be a tensor, and others may be their lengths."""
    if not isinstance(rest, Input):
        return rest
    part = born_in(rest, rest.born)
    if at and part.of_forward and rest.whole is not None and not rest.whole.holds_tensors:
        part.evident = False
    return part


def _of_length(held: Value, count: int) -> Value:
    """The value to unpack into this many targets: of the alternatives, the sequences of that length, if there
    are any."""
    rows = [each for each in alternatives(held) if _is_row(each, count)]
    return join_all(rows) if rows else held


def _is_row(held: Value, count: int) -> bool:
    target = held.target if isinstance(held, Reference) else None
    return isinstance(target, Container) and target.exact and target.length == count


def _assign_element(
    machine: Interpreter, target: ir.Subscript, held: Value, frame: Frame, value: ir.Expression | None
) -> None:
    """`owner[indices] = held`."""
    owner = machine.evaluate(target.value, frame)
    indices = [
        Passed(machine.evaluate(each, frame), each, frame.site(each), "indices") for each in target.indices
    ]
    indices, correlated_value = all_correlated(owner, indices), correlated(owner, held)
    written = [
        _store_element(
            machine,
            each,
            target,
            indices,
            correlated_value if isinstance(each, Tensor) else held,
            frame,
            value,
        )
        for each in alternatives(owner)
    ]
    has_data = any(isinstance(each, (Array, Tensor)) for each in written)
    if (has_data and machine.execution.loop is not None) or any(
        isinstance(each, Reference) and isinstance(owner, Input) for each in written
    ):
        update(machine, target.value, join_all(written), frame)


def _store_element(
    machine: Interpreter,
    owner: Value,
    target: ir.Subscript,
    indices: list[Passed],
    held: Value,
    frame: Frame,
    value: ir.Expression | None,
) -> Value:
    """`owner[indices] = held` for one alternative. Returns the owner after it."""
    index = indices[0].value if len(indices) == 1 else TOP
    match owner:
        case Tensor():
            # A program seldom says with which torch it runs, so that what the oldest one copies is noted.
            operator = find("torch.Tensor.__setitem__", torch_versions()[0])
            assert operator is not None
            written = target if value is None else value
            receiver = Passed(owner, target.value, frame.site(target.value))
            value_argument = Passed(as_one_element(held), written, frame.site(written), "value")
            apply(
                machine,
                frame.site(target),
                operator,
                [receiver, *unpacked_indices(indices, frame), value_argument],
            )
            return (
                changed(owner, born=machine.execution.loop) if machine.execution.loop is not None else owner
            )
        case Input() if is_item_of_mapping(owner, index, held):
            return machine.adopt(as_mapping(owner, index, held))
        case Input() if owner.evident or any(isinstance(each.value, Tensor) for each in indices):
            tensor = tensor_of(owner)
            if tensor is not None:
                _store_element(machine, tensor, target, indices, held, frame, value)
        case Reference(target=Container() as container):
            if container.kind == "list":
                note_index_reads(machine, indices)
            container_methods.put(machine, container, index, held)
        case Reference(target=Instance() as instance):
            own = machine.method_of(owner, "__setitem__")
            if own is not None:
                value_argument = Passed(held, target, frame.site(target))
                passed = [*(each._replace(keyword="") for each in indices), value_argument]
                machine.call(own, Call(passed, frame, target))
            else:
                key = index.value if isinstance(index, Known) else ELEMENT
                add_part(machine, instance, key, held)
        case Array():
            machine.written += 1  # a tensor may share its memory
            if isinstance(held, Tensor) and held.rank0 is True:
                written = target if value is None else value
                read = Passed(held, written, frame.site(written))
                note_wait(machine, frame.site(target), "torch.Tensor.__float__", Cause.HOST_READ, held, read)
            return changed(owner, held=True, written=machine.execution.loop)
        case External(name=environment.ENVIRONMENT):
            written = target if value is None else value
            environment.set_variable(
                machine, frame.site(target), index, Passed(held, written, frame.site(written))
            )
        case _:
            pass
    return owner


def update(machine: Interpreter, place: ir.Expression, held: Value, frame: Frame) -> None:
    """Update the name or attribute that holds a tensor which was changed in place."""
    if isinstance(place, ir.Name):
        scope = frame.scope.home(place.name)
        if place.name in scope.cells:
            machine.store.write(scope, place.name, held)
    elif isinstance(place, ir.Attribute):
        owner = machine.evaluate(place.value, frame)
        if isinstance(owner, Reference) and {place.name, PARAMETERS} & owner.target.cells.keys():
            machine.store.write(owner.target, place.name, held)


def run_augmented(machine: Interpreter, node: ir.AugmentedAssign, frame: Frame) -> End:
    """`target += value`, and the other augmented assignments."""
    held = machine.evaluate(node.target, frame)
    value = machine.evaluate(node.value, frame)
    left = Passed(held, node.target, frame.site(node.target))
    (right,) = all_correlated(held, [Passed(value, node.value, frame.site(node.value))])
    results = [
        _augmented_one(machine, node, left._replace(value=each), right, frame)
        for each in (held.alternatives if isinstance(held, Union) else (held,))
    ]
    assign(machine, node.target, join_all(results), frame, node.value)
    return End.NEXT


def _augmented_one(
    machine: Interpreter, node: ir.AugmentedAssign, left: Passed, right: Passed, frame: Frame
) -> Value:
    held, value = left.value, right.value
    machine.written += isinstance(held, Array)  # a tensor may share its memory
    if isinstance(held, (Known, Scalar)) and isinstance(value, Union):
        with machine.on_one_path(held, value):
            return join_all(
                _augmented_one(machine, node, left, right._replace(value=each), frame)
                for each in value.alternatives
            )
    if isinstance(held, (Known, Scalar)) and isinstance(value, (Known, Scalar)):
        result = numbers(machine, node.operator, held, value)
        in_loop = machine.execution.loop is not None and machine.execution.loop.turns is None
        kind = scalar_type(result) if isinstance(result, (Known, Scalar)) else ""
        return Scalar(kind, counter=True) if in_loop and kind in ("int", "float", "bool") else result
    if isinstance(held, Tensor):
        operator = find(f"torch.Tensor.__i{node.operator}__")
        if operator is not None:
            result = apply(machine, frame.site(node.target), operator, [left, right])
            return changed(result, born=machine.execution.loop) if isinstance(result, Tensor) else result
    if isinstance(held, Reference) and isinstance(held.target, Container) and node.operator == "add":
        container_methods.extend(machine, held.target, machine.elements(value, frame, node.value))
        return held
    own = machine.method_of(held, f"__i{node.operator}__")
    if own is not None:
        return machine.call(own, Call([right], frame, node.value))
    return operation(machine, node.operator, (left, right), frame, node.value)
