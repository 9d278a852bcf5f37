"""The kinds of errors about devices: what each means, its rule, and its remedy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ErrorKind(Enum):
    """The causes by which error texts are classified."""

    OPERANDS = "operands"
    MODULE_INPUT = "module-input"
    INDEX = "index"
    GENERATOR = "generator"
    NUMPY = "numpy"
    HOST_ARGUMENT = "host-argument"
    DEVICE_CONSUMER = "device-consumer"
    GRADIENT = "gradient"
    OPTIMIZER_STATE = "optimizer-state"
    REPLICAS = "replicas"
    COLLECTIVE = "collective"
    SAME_DEVICE_RANKS = "same-device-ranks"
    LEGACY = "legacy"
    CHECKPOINT = "checkpoint"
    DEVICE_STRING = "device-string"
    ORDINAL = "ordinal"
    WRONG_DEVICE_TYPE = "wrong-device-type"
    NO_ACCELERATOR = "no-accelerator"
    NO_KERNEL = "no-kernel"
    NO_DTYPE = "no-dtype"
    FORKED = "forked"
    META = "meta"
    ASYNCHRONOUS = "asynchronous"


@dataclass(frozen=True, slots=True)
class KindExplanation:
    """The explanation of a kind, if only the text is known."""

    code: str
    """The rule that reports it; empty if there is none."""
    says: str
    """What happened, without the devices."""
    help: str
    """The remedy, in one line."""


EXPLANATIONS: dict[ErrorKind, KindExplanation] = {
    ErrorKind.OPERANDS: KindExplanation(
        "DL101",
        "operands of one operation are on different devices",
        "move the operand to the device of the others: `.to(other.device)`",
    ),
    ErrorKind.MODULE_INPUT: KindExplanation(
        "DL106",
        "a module and its input are on different devices",
        "move the input to the device of the module's parameters, or the module to that of its input",
    ),
    ErrorKind.INDEX: KindExplanation(
        "DL108",
        "an index is neither on the host nor on the device of what it indexes",
        "move what is indexed to its indices, or index with `.cpu()`",
    ),
    ErrorKind.GENERATOR: KindExplanation(
        "DL109",
        "a generator is not on the device of the tensor that it fills",
        "create the generator on the device of the tensor: `torch.Generator(device=…)`",
    ),
    ErrorKind.NUMPY: KindExplanation(
        "DL107",
        "a device tensor is passed to code that reads host memory",
        "copy it to the host first: `.detach().cpu()`",
    ),
    ErrorKind.HOST_ARGUMENT: KindExplanation(
        "DL110",
        "an argument that must be on the host is on a device",
        "leave it on the host, or copy it back: `.cpu()`",
    ),
    ErrorKind.DEVICE_CONSUMER: KindExplanation(
        "",
        "a host tensor is passed to code that only works on an accelerator",
        "move it to the accelerator first: `.to(device)`",
    ),
    ErrorKind.GRADIENT: KindExplanation(
        "DL101",
        "a gradient is on another device than its tensor",
        "create the gradient on the tensor's device; move a module before its gradients exist",
    ),
    ErrorKind.OPTIMIZER_STATE: KindExplanation(
        "",
        "the optimizer's state is not on the device of its parameters",
        "move the module before the optimizer creates or loads its state, and load it with `map_location=`",
    ),
    ErrorKind.REPLICAS: KindExplanation(
        "DL106",
        "a module that is to be replicated is not completely on the first device",
        "move the module before it is wrapped: `module.to(device_ids[0])`",
    ),
    ErrorKind.COLLECTIVE: KindExplanation(
        "DL114",
        "a collective gets a tensor on a device that the process group's backend does not support",
        "move the tensor to this rank's device, or create the group with a backend for both: "
        '`init_process_group("cpu:gloo,cuda:nccl")`',
    ),
    ErrorKind.SAME_DEVICE_RANKS: KindExplanation(
        "DL408",
        "several ranks of a process group use the same device",
        "select this rank's device first: `torch.cuda.set_device(local_rank)`",
    ),
    ErrorKind.LEGACY: KindExplanation(
        "DL406",
        "a legacy constructor creates tensors on one device type only",
        "use `torch.tensor(data, device=…)`, or `torch.as_tensor` for an existing tensor",
    ),
    ErrorKind.CHECKPOINT: KindExplanation(
        "DL402",
        "a checkpoint was saved from a device that this machine lacks",
        "load it with `map_location=`: `torch.load(path, map_location=device)`",
    ),
    ErrorKind.DEVICE_STRING: KindExplanation(
        "DL113",
        "torch has no device with this name",
        "a device is a type, and optionally a colon and an ordinal: `cuda:0`",
    ),
    ErrorKind.ORDINAL: KindExplanation(
        "DL113",
        "no device with this ordinal is visible to the process",
        "ordinals count from 0 among the visible devices: see `torch.cuda.device_count()` and "
        "`CUDA_VISIBLE_DEVICES`",
    ),
    ErrorKind.WRONG_DEVICE_TYPE: KindExplanation(
        "DL401",
        "a function for one kind of accelerator gets a device of another kind",
        'test the type first: `if device.type == "cuda":`',
    ),
    ErrorKind.NO_ACCELERATOR: KindExplanation(
        "DL401",
        "the program requires an accelerator that this machine or this build of torch lacks",
        'choose the device at run time: `"cuda" if torch.cuda.is_available() else "cpu"`; or try it with '
        "`devlint run --simulate cuda`",
    ),
    ErrorKind.NO_KERNEL: KindExplanation(
        "",
        "the operator is not implemented for the device",
        "run this operator on the host: `.cpu()` before it and `.to(device)` after it; on MPS "
        "`PYTORCH_ENABLE_MPS_FALLBACK=1` does so",
    ),
    ErrorKind.NO_DTYPE: KindExplanation(
        "",
        "the device does not support the dtype",
        "convert while moving: `.to(device, torch.float32)`",
    ),
    ErrorKind.FORKED: KindExplanation(
        "",
        "a forked process uses an accelerator that its parent has initialized",
        "keep device tensors out of data sets and workers, or spawn the workers: "
        '`multiprocessing_context="spawn"`',
    ),
    ErrorKind.META: KindExplanation(
        "",
        "a tensor on the meta device has a shape but no values",
        "materialize the module before it is used: `module.to_empty(device=…)`, then load its state",
    ),
    ErrorKind.ASYNCHRONOUS: KindExplanation(
        "",
        "a kernel failed before this line: errors of a device are reported late",
        "run the program with `devlint run --launch-blocking`; the error is then raised where it happens",
    ),
}
