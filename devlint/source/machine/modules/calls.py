"""Calls of torch's layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from devlint.model import (
    CPU,
    UNKNOWN,
    Confidence,
    Kind,
    Operand,
    Operation,
    Origin,
    Relation,
    SiteId,
    Step,
    compare,
)
from devlint.operators import MODULE_CALL, find
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input, of_input
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    FALSE,
    TOP,
    TRUE,
    Known,
    Reference,
    Tensor,
    Union,
    Value,
    changed,
)
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.module_classes import WRAPPERS
from devlint.source.machine.heap.objects import ELEMENT, Container, Instance
from devlint.source.machine.heap.paths import differs_by_path
from devlint.source.machine.modules import hooks
from devlint.source.machine.modules.construction import layer_name, may_work_in_place
from devlint.source.machine.modules.foreign import is_moved_object, returned_by_module, returns_object
from devlint.source.machine.modules.layers import (
    FUNCTIONS,
    LOSS_WEIGHTS,
    UNKNOWN_MODULE,
)
from devlint.source.machine.modules.masks import mask_left_out, note_comparisons
from devlint.source.machine.modules.packed_sequences import packed_in, repacked_result, with_data
from devlint.source.machine.modules.parts import placement_of_called
from devlint.source.machine.modules.state import (
    PARAMETERS,
    module_of,
    module_operand,
    moved_on_a_path,
    placement,
)
from devlint.source.machine.modules.wrappers import call_wrapped
from devlint.source.machine.operators import accelerator
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.operators.operands import are_kept_by_others, exclude_each_other, operand
from devlint.source.machine.operators.ordinals import numbered
from devlint.source.machine.operators.repetition import may_be_on_host
from devlint.source.walk import text

_DIFFERENT = (Relation.DIFFERENT, Relation.DIFFERENT_ON_ACCELERATOR)


def call_layer(machine: Machine, layer: Instance, callee: Value, call: Call) -> Value:
    """The result of calling a layer of torch."""
    name = layer_name(layer)
    machine.read(layer)
    packed = packed_in(call.first)
    if packed is not None:
        result = call_layer(machine, layer, callee, call.passing(with_data(packed, call.passed)))
        return repacked_result(machine, packed, result)
    if name in WRAPPERS:
        return call_wrapped(machine, layer, name, call)
    if name == "torch.nn.Sequential":
        return _call_sequential(machine, layer, call)
    if name in FUNCTIONS:
        return _call_function(machine, layer, FUNCTIONS[name], call)
    if layer.of == UNKNOWN_MODULE and placement(layer) is None:
        return returned_by_module(machine, call)
    inputs = [each for each in call.passed if tensor_of(each.value) is not None]
    state = placement(layer)
    if state is not None:
        note_module_call(machine, layer, callee, call)
    note_comparisons(machine, name, call)
    if any(isinstance(each, (Tensor, Input)) for each in call.values) and machine.execution.loop is not None:
        machine.execution.loop.worked = True
    first = tensor_of(inputs[0].value) if inputs else None
    machine.written += may_work_in_place(machine, layer) and may_be_on_host(first)
    where = [each.device for each in (state, first) if each is not None]
    accelerator.work(machine, *where)
    accelerator.queue(machine, *where)
    for each in inputs[:1]:
        if isinstance(each.value, Input):
            each.value.evident = True
    if state is not None and returns_object(layer, state):
        loop = machine.execution.loop
        made = Input(text(call.node), state.device, state.confidence, born=loop, presumed=True)
        made.refuted = made.holds_tensors = True
        return made
    # Once an unregistered module is registered, its results are on the device of its input.
    deciding = None if layer.left_out is not None and first is not None else state
    result = changed(_result(machine, first, deciding), mixed_at=_mixed_at(call.site, first, deciding))
    if layer.left_out is None and _fails(state, first):
        # What follows is no more certain than that the call fails.
        doubted = are_kept_by_others(machine, [each for each in (state, first) if each is not None])
        confidence = Confidence.POSSIBLE if doubted else result.confidence
        result = changed(result, device=UNKNOWN, confidence=confidence)
    return _shaped(machine, name, layer, result)


def _fails(state: Tensor | None, first: Tensor | None) -> bool:
    """Whether a layer is on the host while its input is on an accelerator."""
    if first is None or state is None:
        return False
    return state.device == CPU and compare(CPU, first.device) in _DIFFERENT


def _result(machine: Machine, first: Tensor | None, state: Tensor | None) -> Tensor:
    source = state if state is not None and state.device != UNKNOWN else first
    if source is None:
        return Tensor(UNKNOWN, rank0=None, serial=new_serial(), born=machine.execution.loop)
    confidence = source.confidence if first is None else least_sure(source.confidence, first.confidence)
    if state is not None and first is not None:
        # The result of a computation with parameters is on their device.
        if first.device == UNKNOWN:
            confidence = least_sure(state.confidence, first.confidence, Confidence.LIKELY)
        elif first.device == state.device:
            confidence = state.confidence
    return Tensor(
        source.device,
        source.origin if state is None else _history(state),
        floating=source.floating,
        rank0=None,
        shape=None,
        confidence=confidence,
        serial=new_serial(),
        born=machine.execution.loop,
        source=source.source if state is None else None,
        assured=source.assured and state is None,
        activation=source.activation if state is None else 0,
    )


def _history(state: Tensor) -> Origin:
    """The history of a layer's result: that of its parameters, without what came before a move back to the
    host, because the result never was on the device."""
    last = state.origin.last
    is_back = last is not None and last.step is Step.MOVED and last.device == CPU
    return Origin(state.origin.steps[-1:]) if is_back else state.origin


def _mixed_at(site: SiteId, first: Tensor | None, state: Tensor | None) -> SiteId | None:
    """The operation on tensors of several devices that decides where a layer's result lies, if there is one.
    That of a layer with parameters lies where they do, wherever its input came from."""
    if first is None or state is None:
        return None if first is None else first.mixed_at
    return site if compare(first.device, state.device) in _DIFFERENT else None


def _shaped(machine: Machine, name: str, layer: Instance, result: Tensor) -> Value:
    """The structure of a layer's result."""
    batched = changed(result, rank0=False)
    match name.rpartition(".")[2]:
        case "LSTM":
            # Without a batch, which is rare, a state has a dimension less.
            state = machine.adopt(Container("tuple", [_with_rank(batched, 3), _with_rank(batched, 3)]))
            return machine.adopt(Container("tuple", [batched, state]))
        case "GRU" | "RNN":
            return machine.adopt(Container("tuple", [batched, _with_rank(batched, 3)]))
        case "LSTMCell":
            return machine.adopt(Container("tuple", [_with_rank(batched, 2), _with_rank(batched, 2)]))
        case "MultiheadAttention":
            return machine.adopt(Container("tuple", [batched, changed(batched, serial=new_serial())]))
        case last if "MaxPool" in last and layer.arguments.get("return_indices") == TRUE:
            return machine.adopt(Container("tuple", [batched, batched]))
        case last if last.endswith("Loss"):
            reduced = layer.arguments.get("reduction") in (None, Known("mean"), Known("sum"))
            return changed(result, rank0=True if reduced else None)
        case _:
            return batched


def _with_rank(tensor: Tensor, rank: int) -> Tensor:
    """Another tensor like one, with a number of dimensions."""
    return changed(tensor, shape=(None,) * rank, serial=new_serial())


def _call_sequential(machine: Machine, layer: Instance, call: Call) -> Value:
    value: Value | None = None
    failed = False
    first = call.passed[0] if call.passed else None
    for child in [each for key, each in layer.cells.items() if key not in hooks.KEYS.values()]:
        if value is not None:
            call = call.passing([] if first is None else [_as_passed(first, value)])
        failed = failed or _fails_in(child, call.first)
        if isinstance(child, Reference):
            value = machine.call(child, call)
        elif isinstance(child, Union):
            callable_ = next((each for each in child.alternatives if isinstance(each, Reference)), TOP)
            value = machine.call(callable_, call)
        else:
            value = _through_unknown(call.first if value is None else value)
    if failed and isinstance(value, Tensor):
        return changed(value, device=UNKNOWN)
    return call.first if value is None else value


def _fails_in(child: Value, given: Value) -> bool:
    """Whether a layer is on the host while what it is given is on an accelerator."""
    module = module_of(child)
    return module is not None and _fails(placement(module), tensor_of(given))


def _through_unknown(held: Value) -> Value:
    """The result of an unknown module: most likely on the device of its input."""
    tensor = tensor_of(held)
    return TOP if tensor is None else changed(tensor, rank0=None, shape=None, serial=new_serial())


def _as_passed(first: Passed, value: Value) -> Passed:
    return Passed(value, first.expression, first.site)


def _call_function(machine: Machine, layer: Instance, function: str, call: Call) -> Value:
    """The result of a layer that applies a function with some stored arguments."""
    operator = find(function)
    if operator is None:
        return TOP
    result = apply(machine, call.site, operator, [*call.passed, *_weights(layer, call)])
    if operator.named("reduction") is None:
        return result
    reduced = (
        layer.arguments.get("reduction") not in (Known("none"),) and layer.arguments.get("reduce") != FALSE
    )
    return changed(result, rank0=reduced or None) if isinstance(result, Tensor) else result


def _weights(layer: Instance, call: Call) -> Iterator[Passed]:
    """The buffers of a loss, as its function receives them."""
    function = call.function
    for name in LOSS_WEIGHTS.get(layer_name(layer), ()):
        held = layer.cells.get(name)
        if isinstance(held, Tensor):
            expression = ir.Attribute(function.id, function, name)
            yield Passed(held, expression, call.frame.site(function), keyword=name)


def note_module_call(machine: Machine, module: Instance, callee: Value, call: Call) -> None:
    """Record the call of a module whose inputs may be on another device than its parameters."""
    state = placement_of_called(module)
    if state is None or module.left_out is not None:
        return
    left_out = mask_left_out(layer_name(module), call)
    passed = [each for each in call.passed if not is_moved_object(module, each.value)]
    used = [each for each in passed if each.keyword not in left_out]
    site = call.frame.site(call.function)
    if state.device != UNKNOWN:
        _note_inputs(machine, state, module_operand(module, Passed(callee, call.function, site)), used, call)
        return
    likely = moved_on_a_path(module)
    if likely is not None:
        # What depends on the path as well may do so together with the module; what is made here does not.
        here = machine.frame.number
        used = [each for each in used if isinstance(each.value, Tensor) and each.value.activation == here]
        shown = Operand(text(call.function), site, likely.device, Kind.MODULE, likely.origin, "self")
        _note_inputs(machine, likely, shown, used, call)
        return
    for name, part in _replaced_parts(module):
        path = (
            text(call.function) if isinstance(module.cells[name], Tensor) else f"{text(call.function)}.{name}"
        )
        shown = Operand(path, site, part.device, Kind.MODULE, part.origin, "self")
        _note_inputs(machine, part, shown, used, call)


def _replaced_parts(module: Instance) -> Iterator[tuple[object, Tensor]]:
    """The parameters and submodules that the program has given to a module of a library, if the others are on
    one device: what its `forward` computes with all of them, it computes with each."""
    if not isinstance(module.of, str) or not isinstance(module.cells.get(PARAMETERS), Tensor):
        return
    for name, held in module.cells.items():
        child = module_of(held)
        part = held if child is None else placement(child)
        if name not in (PARAMETERS, ELEMENT) and isinstance(part, Tensor) and part.device != UNKNOWN:
            yield name, part


def call_moved(machine: Machine, state: Tensor, call: Call, *, may_take_both: bool = False) -> Input:
    """The result of calling what the program has moved to a device, most likely a module, with its state. If
    another run of the program knows the module, that run shows whether its inputs fit.

    An object of a class that is not read may take some of its arguments on the host beside others on its
    device, as a loss takes the lengths of sequences.
    """
    if call.site not in machine.entered:
        _note_moved_call(machine, state, call, may_take_both=may_take_both)
    loop = machine.execution.loop
    return Input(text(call.node), state.device, state.confidence, state.origin, born=loop)


def _note_moved_call(machine: Machine, state: Tensor, call: Call, *, may_take_both: bool) -> None:
    """Record the call of what the program has moved to a device, most likely a module, with its state."""
    shown = Operand(
        text(call.function),
        call.frame.site(call.function),
        state.device,
        Kind.MODULE,
        state.origin,
        parameter="self",
    )
    _note_inputs(machine, state, shown, call.passed, call, may_take_both=may_take_both)


def _note_inputs(
    machine: Machine,
    state: Tensor,
    shown_module: Operand,
    used: Sequence[Passed],
    call: Call,
    *,
    may_take_both: bool = False,
) -> None:
    """Record a call of a module if some of its inputs are on another device than its parameters."""
    found = [(tensor, each) for each in used for tensor in _tensors_of(_spread(each))]
    devices = [state.device, *(tensor.device for tensor, _ in found)]
    supplied = [(numbered(machine, tensor, devices), each) for tensor, each in found]
    state = numbered(machine, state, devices)
    shown_module = changed(shown_module, device=state.device)
    apart = [
        (tensor, each)
        for tensor, each in supplied
        if compare(state.device, tensor.device) in _DIFFERENT
        and not exclude_each_other(machine, (state, tensor))
    ]
    if not apart:
        return
    here = machine.frame.number
    operands = (shown_module, *(operand(tensor, each, activation=here) for tensor, each in supplied))
    confidence = least_sure(
        machine.root_confidence,
        machine.mixture_confidence,
        state.confidence,
        *(tensor.confidence for tensor, _ in apart),
    )
    if any(differs_by_path(each.value) for _, each in apart):
        confidence = least_sure(confidence, Confidence.LIKELY)
    inputs = tuple({tensor.source: None for tensor, _ in apart if tensor.source is not None})
    takes_both = may_take_both and any(tensor.device == state.device for tensor, _ in supplied)
    if (
        takes_both
        or any(each.presumed for each in inputs)
        or are_kept_by_others(machine, [state, *(tensor for tensor, _ in apart)])
    ):
        confidence = Confidence.POSSIBLE
    event = Operation(call.site, None, confidence, MODULE_CALL, operands)
    moves = [machine.log.dropped_move(tensor.serial, state.device) for tensor, _ in apart]
    dropped = [move for move in moves if move is not None]
    if len(dropped) == len(apart):
        machine.log.withhold_affected(event, dropped, machine.execution)
    else:
        machine.note(event, inputs)


def _spread(passed: Passed) -> Value:
    """An argument; of `**batch`, what it holds."""
    held = passed.value
    return of_input(held, held.born) if passed.stars == 2 and isinstance(held, Input) else held


def _tensors_of(held: Value) -> list[Tensor]:
    """The tensors that an argument is or contains."""
    tensor = tensor_of(held)
    if tensor is not None:
        return [tensor]
    if isinstance(held, Union):
        return [found for each in held.alternatives if (found := tensor_of(each)) is not None]
    if isinstance(held, Reference) and isinstance(held.target, Container):
        return [found for each in held.target.cells.values() if (found := tensor_of(each)) is not None]
    return []
