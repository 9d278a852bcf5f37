"""Calls outside the operators table that make, place or decide about devices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from devlint.model import (
    CPU,
    UNKNOWN,
    Concrete,
    Origin,
    OriginStep,
    SettingKind,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
)
from devlint.operators import find
from devlint.source import ir
from devlint.source.flow.calls import library_calls, loaders
from devlint.source.flow.operators import operations
from devlint.source.flow.operators.binding import Handler, keyword
from devlint.source.flow.operators.places import make_device, wanted
from devlint.source.flow.patterns.portability import note_use
from devlint.source.flow.patterns.strictness import note_host_data
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.lattice import join_all
from devlint.source.flow.state.values import (
    SCALAR,
    TOP,
    Alternatives,
    Array,
    Availability,
    Batch,
    Clock,
    Container,
    DeviceValue,
    External,
    Generator,
    Literal,
    Module,
    Optimizer,
    Scalar,
    Tensor,
    Value,
)
from devlint.source.walk import path


def handler(name: str) -> Handler | None:
    """What to do for a call of something imported, by canonical name."""
    found = _HANDLERS.get(name)
    if found is not None:
        return found
    if (
        name.startswith("torch.optim.")
        and name.rsplit(".", 1)[1][:1].isupper()
        and ".lr_scheduler." not in name
    ):
        return _make_optimizer
    if name.startswith("torch.cuda.") and name.endswith("Tensor"):
        return _legacy_cuda_tensor
    return None


def note_legacy_device(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> None:
    """Notes `torch.LongTensor(data, device=...)`, which raises for every device but the CPU."""
    target = keyword(passed, "device")
    if _LEGACY.match(name) and target is not None and wanted(frame, target).device != CPU:
        _note_legacy_type(frame, call.id, name)


_LEGACY = re.compile(r"torch\.(Float|Double|Half|BFloat16|Byte|Char|Short|Int|Long|Bool)?Tensor$")


def _device(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    return make_device(frame, call, passed)


def _available(type_: str) -> Handler:
    def handle(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
        frame.program.asked_for.add(type_)
        return Availability(type_)

    return handle


def _device_count(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    return Availability("cuda")


def _current_device(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    return DeviceValue(Concrete("cuda"), "torch.cuda.current_device()", is_object=False)


def _set_default_device(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    if passed:
        frame.default_device = wanted(frame, passed[0])
        frame.program.set_default(frame.default_device.device)
    return Literal(None)


def _set_default_tensor_type(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    given = passed[0].value if passed else TOP
    spelled = given.name if isinstance(given, External) else given.value if isinstance(given, Literal) else ""
    if isinstance(spelled, str) and "cuda" in spelled:
        frame.default_device = DeviceValue(Concrete("cuda"))
        frame.program.set_default(frame.default_device.device)
        frame.note_setting(SettingKind.LEGACY_TYPE, call.id, f"torch.set_default_tensor_type({spelled})")
    return Literal(None)


def _make_generator(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    target = keyword(passed, "device", 0)
    place = (
        wanted(frame, target) if target is not None and target.value != Literal(None) else DeviceValue(CPU)
    )
    step = OriginStep(Step.MADE, call.id, place.device, name, implicit=target is None)
    return Generator(place.device, Origin((step,)))


def _make_optimizer(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    return Optimizer()


def _make_parameter(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    data = keyword(passed, "data", 0)
    value = data.value if data is not None else TOP
    device = value.device if isinstance(value, Tensor) else UNKNOWN
    rank0 = value.rank0 if isinstance(value, Tensor) else None
    origin = value.origin if isinstance(value, Tensor) else Origin()
    made = origin.then(OriginStep(Step.DERIVED, call.id, device, name))
    return Tensor(device, made, rank0=rank0, untouched=not isinstance(device, Symbol))


def _make_uninitialized(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """A parameter of a lazy module, which is given its shape later."""
    target = keyword(passed, "device", 1)
    place = frame.default_device if target is None else wanted(frame, target)
    return Tensor(place.device, Origin((OriginStep(Step.MADE, call.id, place.device, name),)))


def _from_numpy(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """A host tensor that remembers where its array came from, so that a round trip shows."""
    array = passed[0].value if passed else TOP
    origin = array.origin if isinstance(array, Array) else Origin()
    step = Step.DERIVED if origin.steps else Step.MADE
    note_host_data(frame, call.id, name)
    return Tensor(CPU, origin.then(OriginStep(step, call.id, CPU, name)), rank0=None)


def _load(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    if keyword(passed, "map_location", 1) is None and not any(argument.stars for argument in passed):
        source = keyword(passed, "f", 0)
        in_memory = source is not None and isinstance(source.value, External)
        if not in_memory:
            frame.note_setting(
                SettingKind.LOAD, call.id, name, "load_state_dict" if frame.restored == call.id else ""
            )
    return TOP


def _legacy_cuda_tensor(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    device = Concrete("cuda")
    note_use(frame, call.id, device)
    _note_legacy_type(frame, call.id, name)
    return Tensor(device, Origin((OriginStep(Step.MADE, call.id, device, name),)))


def _init_process_group(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    backend = keyword(passed, "backend", 0)
    nccl = backend is not None and backend.value == Literal("nccl")
    if nccl and keyword(passed, "device_id") is None and not frame.program.sets_current_device:
        frame.note_setting(SettingKind.NCCL_WITHOUT_DEVICE, call.id, name)
    return Literal(None)


def _read_clock(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    return Clock(name, call.id, frame.waits, frame.work)


def _same(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    return passed[0].value if passed else TOP


def _autograd_grad(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    inputs = keyword(passed, "inputs", 1)
    value = inputs.value if inputs is not None else TOP
    return Container(value if isinstance(value, Tensor | Alternatives) else TOP)


def _wrap_module(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """`DataParallel(model)` takes its inputs from anywhere and spreads them over the devices itself."""
    return Module(name=name)


def _pack(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """A `PackedSequence` lies where its input does, and moves as a whole."""
    _operate(frame, call, name, passed)
    packed = keyword(passed, "input", 0)
    return Batch(packed.value) if packed is not None and isinstance(packed.value, Tensor) else TOP


def _operate(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> None:
    operator = find(name)
    if operator is not None:
        operations.apply(frame, call.id, operator, passed)


def _unpack(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """The padded sequences lie where the packed one does, and their lengths on the host."""
    _operate(frame, call, name, passed)
    packed = keyword(passed, "sequence", 0)
    if packed is None or not isinstance(packed.value, Batch):
        return TOP
    lengths = Tensor(CPU, Origin((OriginStep(Step.MADE, call.id, CPU, name),)), rank0=False)
    return Container(TOP, ((0, replace(packed.value.tensor, rank0=False)), (1, lengths)), mutable=False)


def _broadcast_all(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """Tensors are broadcast where they are, and numbers become tensors beside them: by default, all of them
    are on the default device. What a parameter holds that may be either lies where its caller wants it."""
    given = [_tensor_or_number(frame, argument) for argument in passed]
    device = next((tensor.device for tensor in given if tensor is not None), frame.default_device.device)
    placed = tuple((n, tensor or Tensor(device)) for n, tensor in enumerate(given))
    return Container(join_all([tensor for _, tensor in placed]), placed, mutable=False)


def _tensor_or_number(frame: Frame, argument: Passed) -> Tensor | None:
    if isinstance(argument.value, Tensor):
        return replace(argument.value, evident=True, untouched=False)
    is_parameter = isinstance(argument.expression, ir.Name) and argument.expression.name in frame.parameters
    if not isinstance(argument.value, Scalar) or not is_parameter:
        return None if isinstance(argument.value, Literal | Scalar) else Tensor()
    symbol = Symbol(path(argument.expression), SymbolKind.TENSOR)
    return Tensor(symbol, Origin((OriginStep(Step.PARAMETER, argument.expression.id, symbol, symbol.name),)))


def _unknown_text(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    return SCALAR


_HANDLERS: dict[str, Handler] = {
    **loaders.HANDLERS,
    **library_calls.HANDLERS,
    "torch.device": _device,
    "torch.cuda.is_available": _available("cuda"),
    "torch.backends.mps.is_available": _available("mps"),
    "torch.xpu.is_available": _available("xpu"),
    "torch.accelerator.is_available": _available("cuda"),
    "torch.cuda.device_count": _device_count,
    "torch.cuda.current_device": _current_device,
    "torch.set_default_device": _set_default_device,
    "torch.set_default_tensor_type": _set_default_tensor_type,
    "torch.Generator": _make_generator,
    "torch.nn.Parameter": _make_parameter,
    "torch.nn.Buffer": _make_parameter,
    "torch.nn.UninitializedParameter": _make_uninitialized,
    "torch.nn.UninitializedBuffer": _make_uninitialized,
    "torch.from_numpy": _from_numpy,
    "torch.load": _load,
    "torch.nn.utils.rnn.pack_padded_sequence": _pack,
    "torch.nn.utils.rnn.pad_packed_sequence": _unpack,
    "torch.distributions.utils.broadcast_all": _broadcast_all,
    "torch.distributed.init_process_group": _init_process_group,
    "time.time": _read_clock,
    "time.perf_counter": _read_clock,
    "time.monotonic": _read_clock,
    "timeit.default_timer": _read_clock,
    "torch.autograd.grad": _autograd_grad,
    "torch.nn.DataParallel": _wrap_module,
    "torch.nn.parallel.DistributedDataParallel": _wrap_module,
    "torch.autograd.Variable": _same,
    "torch.compile": _same,
    "torch.jit.script": _same,
    "torch.cuda.get_device_name": _unknown_text,
}


def _note_legacy_type(frame: Frame, site: SiteId, name: str) -> None:
    """Note a legacy constructor, but for one that makes what a kernel of CUDA's is to fill: code around a
    kernel stands in an `autograd.Function`, and runs nowhere else; the constructor of a fused optimizer makes
    the buffer in which its kernel says that something has overflown."""
    info = frame.info
    bases = {base for each in info.lineage() for base in each.outside} if info is not None else set()
    of_kernel = not bases.isdisjoint(_FUNCTIONS)
    of_optimizer = not bases.isdisjoint(_OPTIMIZERS) and frame.is_constructor
    if not (name.startswith("torch.cuda.") and (of_kernel or of_optimizer)):
        frame.note_setting(SettingKind.LEGACY_TYPE, site, name)


_FUNCTIONS = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})
_OPTIMIZERS = frozenset({"torch.optim.Optimizer", "torch.optim.optimizer.Optimizer"})
