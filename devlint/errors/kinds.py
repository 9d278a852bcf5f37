"""What an error about devices can be about, which rule speaks of it, and the way out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ErrorKind(Enum):
    """The causes that error texts are sorted by."""

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
    """What is said of a kind where nothing but the text is known."""

    code: str
    """The rule that it belongs to; empty where no rule speaks of it."""
    says: str
    """What happened, without the devices."""
    help: str
    """The way out, in one line."""


EXPLANATIONS: dict[ErrorKind, KindExplanation] = {
    ErrorKind.OPERANDS: KindExplanation(
        "DL101",
        "operands of one operation are on different devices",
        "move the one that is elsewhere to the device of the others: `.to(other.device)`",
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
        "a generator is on another device than what it draws for",
        "make the generator on the device that it draws for: `torch.Generator(device=…)`",
    ),
    ErrorKind.NUMPY: KindExplanation(
        "DL107",
        "a tensor on a device is given to what reads host memory",
        "copy it to the host first: `.cpu()`",
    ),
    ErrorKind.HOST_ARGUMENT: KindExplanation(
        "DL110",
        "an argument that must be on the host is on a device",
        "leave it on the host, or copy it back: `.cpu()`",
    ),
    ErrorKind.DEVICE_CONSUMER: KindExplanation(
        "",
        "a tensor on the host is given to what works on an accelerator only",
        "move it there first: `.to(device)`",
    ),
    ErrorKind.GRADIENT: KindExplanation(
        "DL101",
        "a gradient is on another device than its tensor",
        "make the gradient on the tensor's device; move a module before its gradients are made",
    ),
    ErrorKind.OPTIMIZER_STATE: KindExplanation(
        "",
        "the optimizer's state is not where it belongs",
        "move the module before the optimizer makes or loads its state, and load that with `map_location=`",
    ),
    ErrorKind.REPLICAS: KindExplanation(
        "DL106",
        "a module that is to be replicated is not all on the first device",
        "move the module before it is wrapped: `module.to(device_ids[0])`",
    ),
    ErrorKind.COLLECTIVE: KindExplanation(
        "",
        "a collective is given a tensor on a device that the process group's backend does not serve",
        "move the tensor to this rank's device, or make the group with a backend for both: "
        '`init_process_group("cpu:gloo,cuda:nccl")`',
    ),
    ErrorKind.SAME_DEVICE_RANKS: KindExplanation(
        "DL408",
        "several ranks of a process group use the same device",
        "choose this rank's device first: `torch.cuda.set_device(local_rank)`",
    ),
    ErrorKind.LEGACY: KindExplanation(
        "DL406",
        "a legacy constructor makes tensors of one device type only",
        "use `torch.tensor(data, device=…)`, or `torch.as_tensor` for what is a tensor already",
    ),
    ErrorKind.CHECKPOINT: KindExplanation(
        "DL402",
        "a checkpoint was saved from a device that is not here",
        "load it with `map_location=`: `torch.load(path, map_location=device)`",
    ),
    ErrorKind.DEVICE_STRING: KindExplanation(
        "DL113",
        "torch knows no such device",
        "a device is a type, and optionally a colon and an ordinal: `cuda:0`",
    ),
    ErrorKind.ORDINAL: KindExplanation(
        "DL113",
        "the device's ordinal is beyond those that the process can see",
        "ordinals count from 0 among the visible devices: see `torch.cuda.device_count()` and "
        "`CUDA_VISIBLE_DEVICES`",
    ),
    ErrorKind.WRONG_DEVICE_TYPE: KindExplanation(
        "DL401",
        "a function of one kind of accelerator is given a device of another kind",
        'ask first: `if device.type == "cuda":`',
    ),
    ErrorKind.NO_ACCELERATOR: KindExplanation(
        "DL401",
        "the program wants an accelerator that this torch or this machine does not have",
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
        "the device has no such dtype",
        "convert while moving: `.to(device, torch.float32)`",
    ),
    ErrorKind.FORKED: KindExplanation(
        "",
        "a forked process uses an accelerator that its parent has initialised",
        "keep device tensors out of data sets and workers, or start them afresh: "
        '`multiprocessing_context="spawn"`',
    ),
    ErrorKind.META: KindExplanation(
        "",
        "a tensor on the meta device has a shape and no values",
        "materialise the module before it is used: `module.to_empty(device=…)`, then load its state",
    ),
    ErrorKind.ASYNCHRONOUS: KindExplanation(
        "",
        "a kernel failed earlier than this line: the device reports its errors late",
        "run it again under `devlint run --launch-blocking`, and the line that raises is the one that failed",
    ),
}
