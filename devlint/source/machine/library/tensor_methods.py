"""Methods of tensors, and of values that may be tensors."""

from __future__ import annotations

from devlint.model import CPU, UNKNOWN, Concrete, Confidence, OriginStep, Relation, SiteId, Step, compare
from devlint.operators import find
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input, note_moved, placed
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    INT,
    NONE,
    TOP,
    DeviceValue,
    Known,
    Scalar,
    Tensor,
    Value,
    changed,
)
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.operators import accelerator, move_targets, moves, pinning
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.operators.devices import note_query
from devlint.source.machine.operators.gradients import REQUESTS, ask_for_gradient
from devlint.source.machine.operators.shapes import CONVERSIONS, converted, count_of, size_at
from devlint.source.walk import path

_SIZES = frozenset({"size", "stride"})
_NUMBERS = frozenset({"dim", "ndimension", "numel", "nelement", "element_size", "data_ptr"})


def call_tensor(machine: Machine, receiver: Tensor | Input, name: str, call: Call) -> Value:
    """`tensor.name(...)`."""
    shown = Passed(receiver, call.receiver, call.frame.site(call.receiver))
    site = call.site
    if name == "backward":
        return backward(machine, receiver)
    if name == "type" and not call.passed:
        return DeviceValue(receiver.device, is_string=True, names_dtype=True)
    if name in move_targets.MOVES:
        return _move(machine, receiver, name, call, shown)
    if name == "size" and call.passed and isinstance(receiver, Tensor):
        return size_at(receiver, call.first)
    if name in ("numel", "nelement") and isinstance(receiver, Tensor):
        return count_of(receiver)
    if name in _SIZES:
        return INT if call.passed else machine.adopt(Container("tuple", element=INT))
    if name in _NUMBERS:
        return INT
    if name == "get_device":
        return _ordinal(receiver)
    if name in REQUESTS and isinstance(receiver, Tensor):
        return ask_for_gradient(machine, receiver)
    if name in REQUESTS or name in ("register_hook", "share_memory_"):
        return receiver
    if name == "pin_memory":
        pinning.note(machine, site, "torch.Tensor.pin_memory")
    operator = find(f"torch.Tensor.{name}")
    if operator is None:
        return TOP
    if name == "clone" and isinstance(receiver, Input) and not receiver.evident:
        return machine.assigned.copied(receiver)
    if name in ("detach", "clone", "contiguous") and isinstance(receiver, Input):
        return receiver
    if name == "contiguous" and isinstance(receiver, Tensor) and receiver.role == "parameter":
        return receiver  # a parameter that lies in memory as it is written is returned itself
    result = apply(machine, site, operator, [shown, *call.passed])
    if name == "pin_memory" and isinstance(result, Tensor):
        return changed(result, pinned=True)
    if name in CONVERSIONS and isinstance(result, Tensor) and isinstance(receiver, Tensor):
        return converted(receiver, result, name)
    if name == "detach" and isinstance(result, Tensor) and isinstance(receiver, Tensor):
        if receiver.role == "parameter":
            machine.optimized.add(receiver.serial)
        return changed(result, serial=receiver.serial, role="")
    return result


def _ordinal(receiver: Tensor | Input) -> Value:
    """`tensor.get_device()`: the ordinal of its device, -1 on the host."""
    if receiver.device == CPU:
        return Known(-1)
    if receiver.device == UNKNOWN:
        return INT
    device = DeviceValue(receiver.device, confidence=receiver.confidence, numbered=True)
    return Scalar("int", ordinal_of=device, least=0)


def backward(machine: Machine, receiver: Value) -> Value:
    """`loss.backward()`, which makes its loop a training loop."""
    source = receiver.source if isinstance(receiver, Tensor) and not receiver.assured else receiver
    if isinstance(source, Input):
        source.evident = True
    accelerator.train(machine)
    tensor = tensor_of(receiver)
    where = () if tensor is None else (tensor.device,)
    accelerator.work(machine, *where)
    accelerator.queue(machine, *where)
    return NONE


def _move(machine: Machine, receiver: Tensor | Input, name: str, call: Call, shown: Passed) -> Value:
    target = move_targets.target_of(machine, name, call)
    if target.place is not None and target.place.device == CPU:
        note_query(machine, call.site, receiver.device)
    source = receiver if isinstance(receiver, Input) else receiver.source
    if source is not None and move_targets.leads_to_named(name, call) and not receiver.origin.was_moved:
        note_moved(source)
    dropped = _dropped_by(call)
    if (
        isinstance(receiver, Input)
        and receiver.of_forward
        and receiver.has_dimensions
        and not receiver.refuted
    ):
        receiver.evident = True  # an array has no such method
    if isinstance(receiver, Input) and dropped is not None and target.place is not None:
        receiver.moved_in_place = target.place.device
    if isinstance(receiver, Input) and target.place is not None:
        machine.assigned.move(receiver)
    if isinstance(receiver, Input) and not _is_surely_tensor(receiver):
        if target.place is None:
            return receiver
        if compare(receiver.device, target.place.device) is not Relation.SAME:
            machine.log.refute(call.site)
        if receiver.holds_tensors:
            _move_parts(machine, receiver, name, call, shown, target)
        confidence = least_sure(target.place.confidence, Confidence.LIKELY)
        put = placed(receiver, target.place.device, confidence, machine.execution.loop)
        put.presumed = put.has_device = True
        step = OriginStep(Step.MOVED, call.site, put.device, f"torch.Tensor.{name}")
        put.origin = receiver.origin.then(step)
        return put
    tensor = tensor_of(receiver)
    assert tensor is not None
    assignable = _is_assignable(call.frame, shown.expression) and not tensor.role
    move = moves.TensorMove(call.site, f"torch.Tensor.{name}", shown, tensor, target, dropped, assignable)
    moved = moves.move_tensor(machine, move)
    if target.place is None:
        moved = converted(tensor, moved, move_targets.dtype_named(call))
    # The result is a tensor if the input from which it comes is one.
    return changed(moved, source=tensor.source)


def _move_parts(
    machine: Machine, held: Input, name: str, call: Call, shown: Passed, target: move_targets.Target
) -> None:
    """Record the move of the tensors that an object holds, such as a batch of graphs."""
    part = Tensor(
        held.device, held.origin, rank0=False, confidence=held.confidence, pinned=held.pinned, born=held.born
    )
    moves.move_tensor(
        machine,
        moves.TensorMove(call.site, f"torch.Tensor.{name}", shown, part, target, None, assignable=False),
    )


def _dropped_by(call: Call) -> SiteId | None:
    """The statement that consists only of the call, and so drops its result."""
    statement = call.frame.statement
    if isinstance(statement, ir.Evaluate) and statement.value is call.node:
        return call.frame.site(statement)
    return None


def _is_assignable(frame: Frame, place: ir.Expression) -> bool:
    """Whether the moved tensor can be assigned to its name, a local variable of the running function."""
    return path(place).split(".")[0] in frame.scope.cells


def _is_surely_tensor(receiver: Input) -> bool:
    """Whether the receiver of a move is a tensor: a loader's batch is on the host before it is moved."""
    return not receiver.refuted and (receiver.evident or isinstance(receiver.device, Concrete))
