"""Functions and classes of torch that are not operators: devices, defaults, loading, compilation."""

from __future__ import annotations

from devlint.model import (
    CPU,
    UNKNOWN,
    Concrete,
    Confidence,
    Origin,
    OriginStep,
    SettingKind,
    Step,
)
from devlint.operators import find
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import as_parameter, tensor_of
from devlint.source.machine.domain.values import (
    BOOL,
    DTYPE,
    FALSE,
    NONE,
    TOP,
    TRUE,
    DeviceValue,
    GeneratorValue,
    Known,
    Reference,
    Scalar,
    Tensor,
    Top,
    Union,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.defaults import set_default_device, set_tensor_type
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library.data import host_tensor
from devlint.source.machine.library.handlers import Handler, constant, first_argument
from devlint.source.machine.library.names import external_name
from devlint.source.machine.library.parameters import OF_PARAMETERS
from devlint.source.machine.library.tracing import TRACERS
from devlint.source.machine.modules import packed_sequences
from devlint.source.machine.modules.assignment import NEW_BUFFER
from devlint.source.machine.modules.causal_mask import CAUSAL_MASK, causal_mask
from devlint.source.machine.modules.state import copied
from devlint.source.machine.operators import accelerator, implicit
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.operators.devices import make_device, wanted
from devlint.source.walk import walk


def _mps_unavailable(machine: Machine, call: Call) -> Value:
    machine.process.facts.asks_for_mps = True
    return FALSE


def _current_device(machine: Machine, call: Call) -> Value:
    chosen = machine.current_device
    return (
        Scalar("int", ordinal_of=DeviceValue(Concrete("cuda"), numbered=True), least=0)
        if chosen is None
        else Known(chosen)
    )


def _set_device(machine: Machine, call: Call) -> Value:
    machine.process.facts.chooses_device = True
    place = wanted(machine, call.passed[0]) if call.passed else DeviceValue(UNKNOWN)
    if isinstance(place.device, Concrete) and place.device.index is not None:
        machine.current_device = place.device.index
    return NONE


def _set_default_device(machine: Machine, call: Call) -> Value:
    if call.passed:
        device = CPU if call.first == NONE else wanted(machine, call.passed[0]).device
        set_default_device(machine, device)
    return NONE


def _set_default_type(machine: Machine, call: Call) -> Value:
    held = call.first
    name = held.value if isinstance(held, Known) else getattr(held, "name", "")
    if isinstance(name, str) and ".cuda." in name:
        set_tensor_type(machine, Concrete("cuda"))
        machine.setting(SettingKind.LEGACY_TYPE, call.site, name)
    elif isinstance(name, str) and name:
        set_tensor_type(machine, CPU)
    return NONE


def _device_context(machine: Machine, call: Call) -> Value:
    machine.process.facts.chooses_device = True
    made = Instance("torch.cuda.device", call.site)
    if call.passed:
        made.arguments["device"] = call.first
    return machine.adopt(made)


def _generator(machine: Machine, call: Call) -> Value:
    supplied = call.argument("device", 0)
    place = DeviceValue(CPU) if supplied is None else wanted(machine, supplied)
    step = OriginStep(Step.MADE, call.site, place.device, "torch.Generator", implicit=supplied is None)
    return GeneratorValue(place.device, Origin((step,)), place.confidence)


def _parameter(machine: Machine, call: Call) -> Value:
    held = call.value("data", 0)
    tensor = None if held is None else tensor_of(held)
    if tensor is None:
        return Tensor(UNKNOWN, role="parameter", floating=True)
    implicit.settled(machine, tensor)
    return as_parameter(tensor, attribute="", serial=new_serial())


def _variable(machine: Machine, call: Call) -> Value:
    """`torch.autograd.Variable(data, requires_grad=True)`, of which autograd keeps the gradient."""
    return changed(call.first, in_graph=False) if isinstance(call.first, Tensor) else call.first


def _buffer(machine: Machine, call: Call) -> Value:
    held = _parameter(machine, call)
    return changed(held, role=NEW_BUFFER) if isinstance(held, Tensor) else held


def _load(machine: Machine, call: Call) -> Value:
    """`torch.load`: loads to `map_location`, or else to the device on which the value was saved."""
    location = call.argument("map_location", 1)
    if location is None:
        if not any(each.stars == 2 for each in call.passed):
            machine.loads.append((call.site, "torch.load", _restores(call)))
        return machine.saved[-1] if len(machine.saved) == 1 else TOP
    if isinstance(location.value, (Reference, Union)) or location.value == NONE:
        return TOP
    place = wanted(machine, location)
    if place.device == UNKNOWN:
        return TOP
    step = OriginStep(Step.MADE, call.site, place.device, "torch.load")
    made = Input("checkpoint", place.device, Confidence.LIKELY, Origin((step,)))
    made.loaded = made.has_dimensions = True
    if not isinstance(call.first, Known):
        made.born = machine.execution.loop  # another turn may load another file
    return made


def _restores(call: Call) -> str:
    """Whether the statement passes what is loaded to `load_state_dict`, which copies it to the right
    device."""
    if call.frame.statement is not None:
        for each in walk((call.frame.statement,)):
            match each:
                case ir.CallExpression(function=ir.Attribute(name="load_state_dict"), arguments=(first, *_)):
                    if first.value is call.node:
                        return "load_state_dict"
    return ""


def _split(machine: Machine, call: Call) -> Value:
    """`random_split(dataset, lengths)`."""
    made = Instance("torch.utils.data.Subset", call.site)
    if call.passed:
        made.cells["dataset"] = call.first
    return machine.adopt(Container("list", element=machine.adopt(made)))


def _legacy_type(machine: Machine, call: Call) -> Value:
    """`torch.cuda.FloatTensor(...)`."""
    name = external_name(machine, call.node)
    site = call.site
    machine.setting(SettingKind.LEGACY_TYPE, site, name)
    step = OriginStep(Step.MADE, site, Concrete("cuda"), name)
    return Tensor(Concrete("cuda"), Origin((step,)), rank0=False, born=machine.execution.loop)


def _checkpoint(machine: Machine, call: Call) -> Value:
    """`checkpoint(function, *args)` calls the function."""
    supplied = [
        each for each in call.passed[1:] if not each.keyword or each.keyword not in _CHECKPOINT_OPTIONS
    ]
    return machine.call(call.first, call.passing(supplied)) if call.passed else TOP


_CHECKPOINT_OPTIONS = frozenset(
    {"use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug"}
)


def _gradients(machine: Machine, call: Call) -> Value:
    """`torch.autograd.grad(outputs, inputs)`: a gradient for each input, on its device."""
    _note_gradients(machine, call)
    inputs = call.value("inputs", 1)
    if isinstance(inputs, Tensor):
        return machine.adopt(Container("tuple", [changed(inputs, role="")]))
    if isinstance(inputs, Reference) and isinstance(inputs.target, Container):
        twin = Container("tuple")
        twin.cells = {
            key: changed(each, role="") if isinstance(each, Tensor) else each
            for key, each in inputs.target.cells.items()
        }
        return machine.adopt(twin)
    return TOP


def _note_gradients(machine: Machine, call: Call) -> None:
    """Record gradients that are passed to `grad`: each must be on the device of its output."""
    outputs, gradients = call.argument("outputs", 0), call.argument("grad_outputs", 2)
    operator = find("torch.add")
    if outputs is None or gradients is None or operator is None:
        return
    for output, gradient in zip(_tensors_of(outputs), _tensors_of(gradients), strict=False):
        if gradient[1].rank0 is not True:
            apply(machine, call.site, operator, [output[0], gradient[0]])


def _tensors_of(passed: Passed) -> list[tuple[Passed, Tensor]]:
    """A tensor, or the tensors of a list."""
    match passed.value:
        case Reference(target=Container(cells=cells)):
            values = [*cells.values()]
        case held:
            values = [held]
    return [(passed._replace(value=each, keyword=""), each) for each in values if isinstance(each, Tensor)]


def _autograd_backward(machine: Machine, call: Call) -> Value:
    accelerator.train(machine)
    return NONE


def _spawn(machine: Machine, call: Call) -> Value:
    """`mp.spawn(worker, args=(world_size,))`, which calls the worker with its rank first."""
    if not call.passed:
        return TOP
    held = call.value("args", 1)
    supplied = [Passed(Scalar("int", least=0), call.node, call.site)]
    if isinstance(held, Reference) and isinstance(held.target, Container):
        supplied += [Passed(each, call.node, call.site) for each in held.target.items]
    machine.call(call.first, call.passing(supplied))
    return TOP


def _is_tensor(machine: Machine, call: Call) -> Value:
    answers = {_is_one(each) for each in alternatives(call.first)}
    return answers.pop() if len(answers) == 1 else BOOL


def _is_one(held: Value) -> Value:
    match held:
        case Input(refuted=True):
            return FALSE
        case Tensor() | Input(evident=True):
            return TRUE
        case Input() | Top():
            return BOOL
        case _:
            return FALSE


def _shape(machine: Machine, call: Call) -> Value:
    """The sizes of a tensor as a tensor, on the host (aten/src/ATen/native/TensorShape.cpp)."""
    return host_tensor(call.site, "torch._shape_as_tensor", machine)


def _sparse(machine: Machine, call: Call) -> Value:
    """`torch.sparse_coo_tensor(...)`: on the device of its values (torch/csrc/utils/tensor_new.cpp)."""
    supplied = call.argument("device")
    if supplied is not None and supplied.value != NONE:
        place = wanted(machine, supplied)
        step = OriginStep(Step.MADE, call.site, place.device, "torch.sparse_coo_tensor")
        return Tensor(place.device, Origin((step,)), rank0=False, born=machine.execution.loop)
    values = tensor_of(call.passed[1].value) if len(call.passed) > 1 else None
    return Tensor(UNKNOWN) if values is None else changed(values, rank0=False, role="", attribute="")


def _attention(machine: Machine, call: Call) -> Value:
    """Attention with separate projection weights, which ignores the combined weight."""
    operator = find("torch.nn.functional.multi_head_attention_forward")
    assert operator is not None
    joint = call.argument("in_proj_weight", 5)
    separate = call.value("use_separate_proj_weight", 17) == TRUE
    unread = joint if separate else None
    passed = [each._replace(value=TOP) if each is unread else each for each in call.passed]
    return apply(machine, call.site, operator, passed)


_AVAILABLE = constant(Scalar("bool", availability=True))
_DEVICE_COUNT = constant(Scalar("int", availability=True))


def _unavailable(kind: str) -> dict[str, Handler]:
    """Tests for another kind of accelerator than the assumed one."""
    return {f"torch.{kind}.is_available": constant(FALSE), f"torch.{kind}.device_count": constant(Known(0))}


def _made(kind: str) -> Handler:
    """An object of a class whose methods may wait: `torch.cuda.current_stream()`."""

    def handler(machine: Machine, call: Call) -> Value:
        return machine.adopt(Instance(kind, call.site))

    return handler


def _save(machine: Machine, call: Call) -> Value:
    """`torch.save(...)`: stores a copy, which a later load returns, on its device."""
    machine.waits += 1
    if call.passed:
        held = copied(machine, call.first, call.site)
        machine.saved = [held] if machine.execution.loop is None else [*machine.saved, held]
    return NONE


def _written(machine: Machine, call: Call) -> Value:
    """`torch.jit.save(...)`, which reads all parameters to write them to a file."""
    machine.waits += 1
    return TOP


_EAGER = (
    "torch.jit.is_scripting", "torch.jit.is_tracing", "torch.compiler.is_compiling",
    "torch.compiler.is_dynamo_compiling", "torch.compiler.is_exporting", "torch._dynamo.is_compiling",
    "torch.onnx.is_in_onnx_export", "torch.cuda.is_current_stream_capturing",
)  # fmt: skip
"""Tests for ways of running in which a program does not run by itself."""

_DTYPES = ("torch.get_default_dtype", "torch.promote_types", "torch.result_type", "torch.get_autocast_dtype")

TORCH: dict[str, Handler] = {
    **dict.fromkeys(_EAGER, constant(FALSE)),
    "torch._C._get_tracing_state": constant(NONE),
    "torchvision._is_tracing": constant(NONE),
    "torch._shape_as_tensor": _shape,
    "torch.onnx.operators.shape_as_tensor": _shape,
    **OF_PARAMETERS,
    "torch.device": make_device,
    "torch.cuda.is_available": _AVAILABLE,
    "torch.accelerator.is_available": _AVAILABLE,
    "torch.accelerator.current_accelerator": constant(DeviceValue(Concrete("cuda"))),
    "torch.cuda.device_count": _DEVICE_COUNT,
    "torch.accelerator.device_count": _DEVICE_COUNT,
    "torch.cuda.current_device": _current_device,
    "torch.cuda.set_device": _set_device,
    "torch.cuda.device": _device_context,
    "torch.cuda.is_bf16_supported": constant(BOOL),
    **dict.fromkeys(_DTYPES, constant(DTYPE)),
    "torch.set_default_device": _set_default_device,
    "torch.set_default_tensor_type": _set_default_type,
    "torch.backends.mps.is_available": _mps_unavailable,
    "torch.backends.mps.is_built": _mps_unavailable,
    "torch.mps.is_available": _mps_unavailable,
    **_unavailable("xpu"),
    **_unavailable("npu"),
    **_unavailable("hpu"),
    **_unavailable("mtia"),
    "torch.Generator": _generator,
    "torch.nn.Parameter": _parameter,
    "torch.nn.parameter.Parameter": _parameter,
    "torch.nn.Buffer": _buffer,
    "torch.autograd.Variable": _variable,
    f"torch.nn.Transformer.{CAUSAL_MASK}": causal_mask,
    "torch.load": _load,
    "torch.cuda.current_stream": _made("torch.cuda.Stream"),
    "torch.cuda.default_stream": _made("torch.cuda.Stream"),
    "torch.cuda.Event": _made("torch.cuda.Event"),
    "torch.cuda.Stream": _made("torch.cuda.Stream"),
    "torch.save": _save,
    "torch.export.save": _written,
    "torch.jit.save": _written,
    "torch.utils.data.random_split": _split,
    "torch.nn.utils.rnn.pack_padded_sequence": packed_sequences.pack_padded,
    packed_sequences.PACKED_SEQUENCE: packed_sequences.construct,
    "torch.nn.utils.rnn.pack_sequence": packed_sequences.pack,
    "torch.nn.utils.rnn.pad_packed_sequence": packed_sequences.pad,
    "torch.nn.utils.spectral_norm": first_argument,
    "torch.nn.utils.weight_norm": first_argument,
    "torch.nn.utils.parametrizations.spectral_norm": first_argument,
    "torch.nn.utils.parametrizations.weight_norm": first_argument,
    "torch.utils.checkpoint.checkpoint": _checkpoint,
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm": first_argument,
    "torch.compile": first_argument,
    "torch.jit.script": first_argument,
    **TRACERS,
    "torch.autograd.grad": _gradients,
    "torch.autograd.backward": _autograd_backward,
    "torch.multiprocessing.spawn": _spawn,
    "torch.is_tensor": _is_tensor,
    "torch.sparse_coo_tensor": _sparse,
    "torch.nn.functional.multi_head_attention_forward": _attention,
    "torch.sparse.FloatTensor": _sparse,
    **{
        f"torch.cuda.{kind}Tensor": _legacy_type
        for kind in ("Float", "Double", "Half", "BFloat16", "Int", "Long", "Short", "Byte", "Char", "Bool")
    },
}
