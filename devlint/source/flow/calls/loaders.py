"""Calls that make data loaders, and the processes that work for them."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import CPU, Certainty, Kind, Operand, Operation, Origin, OriginStep, Step
from devlint.source import ir
from devlint.source.flow.operators.binding import Handler, keyword
from devlint.source.flow.patterns.portability import note_pinning_loader
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.values import (
    TOP,
    Batch,
    Container,
    Literal,
    Loader,
    Tensor,
    Value,
)


def _make_loader(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """Batches lie on the host, unless a collate function of the program's own decides."""
    workers = keyword(passed, "num_workers", 5)
    given = {what: keyword(passed, what, position) for what, position in _RUN_BY_WORKERS.items()}
    frame.program.workers.note_loader(
        TOP if any(argument.stars for argument in passed) else workers.value if workers is not None else None,
        {what: argument.value for what, argument in given.items() if argument is not None},
    )
    pin = keyword(passed, "pin_memory", 7)
    if pin is not None:
        note_pinning_loader(frame, name, pin)
    if keyword(passed, "collate_fn") is not None or any(argument.stars == 2 for argument in passed):
        return Loader(TOP)
    dataset = keyword(passed, "dataset", 0)
    if dataset is not None and isinstance(dataset.value, Container) and dataset.value.data:
        return Loader(TOP)
    if frame.default_device.device != CPU:
        _note_shuffling(frame, call, passed)
        return Loader(TOP)
    step = OriginStep(Step.MADE, call.id, CPU, name)
    pinned = True if pin is not None and pin.value == Literal(value=True) else None
    tensor = Tensor(CPU, Origin((step,)), rank0=None, conventional=True, pinned=pinned)
    return Loader(Batch(tensor, in_place=False))


_RUN_BY_WORKERS = {"collate_fn": 6, "worker_init_fn": 10}
"""Arguments of a data loader that its workers call, and their positions."""


def _start_process(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    target = keyword(passed, "target", 1)
    if target is not None:
        frame.program.workers.note_process(frame.identity, target.value)
    return TOP


def _ask_for_worker(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    frame.program.workers.note_question(frame.identity)
    return TOP


def _note_shuffling(frame: Frame, call: ir.Call, passed: Sequence[Passed]) -> None:
    """Notes that a sampler draws for the default device with a generator of its own, which is on the host.

    `torch.utils.data.sampler.RandomSampler` makes one (`torch.Generator()`) and gives it to `torch.randperm`.
    """
    shuffle = keyword(passed, "shuffle", 2)
    if shuffle is None or shuffle.value != Literal(value=True) or keyword(passed, "generator") is not None:
        return
    generator = Operand("the sampler's generator", call.id, CPU, Kind.GENERATOR, parameter="generator")
    target = Operand("device", call.id, frame.default_device.device, Kind.DEVICE, parameter="device")
    frame.emit(Operation(call.id, frame.hot, Certainty.PROVEN, "torch.randperm", (generator, target)))


HANDLERS: dict[str, Handler] = {
    "torch.utils.data.DataLoader": _make_loader,
    "torch.utils.data.get_worker_info": _ask_for_worker,
    "multiprocessing.Process": _start_process,
    "torch.multiprocessing.Process": _start_process,
}
"""By canonical name."""
