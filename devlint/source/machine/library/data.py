"""Data sets and data loaders: the values that they yield, and the devices of those."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

from devlint.model import CPU, Confidence, Origin, OriginStep, SiteId, Step
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input, placed
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import (
    FALSE,
    INT,
    NONE,
    STRING,
    TOP,
    Array,
    DeviceValue,
    External,
    Known,
    Object,
    Reference,
    Scalar,
    Tensor,
    Top,
    Union,
    Value,
    changed,
)
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.machine import Elements, Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.heap.process import Worker
from devlint.source.machine.library import graphs, samplers, workers
from devlint.source.machine.operators import pinning
from devlint.source.machine.operators.pinning import has_known_size

LOADERS = frozenset(
    {"torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader",
     "monai.data.DataLoader",
     "torchdata.stateful_dataloader.StatefulDataLoader"}
)  # fmt: skip
PLACED = "<placed>"
"""The argument that makes a framework move a loader's batches to its device."""
_PIN = 7
"""The position of `pin_memory` among the arguments of a data loader."""
_DATASET = "torch.utils.data."
_DATASETS = ("torchvision.datasets.", "torchaudio.datasets.", "torchtext.datasets.", "datasets.")
_DRAWS = frozenset({"next", "__next__"})
"""Methods of a loader's iterator that return a batch; `next` up to torch 1.12."""
_OF_ARRAYS = "torch.from_numpy"
_PICTURES = "torchvision.datasets."
_LOADER = "torch.utils.data.DataLoader"
"""What creates batches."""
_HANDS_ON = frozenset({"Subset", "ConcatDataset", "ChainDataset", "random_split"})


def is_loader(externals: Sequence[str]) -> bool:
    """Whether a class is a data loader."""
    return any(each in LOADERS or graphs.is_loader(each) for each in externals)


def is_dataset(externals: Sequence[str]) -> bool:
    """Whether a class is a data set."""
    return any(
        each.startswith(_DATASETS)
        or graphs.is_dataset(each)
        or (each.startswith(_DATASET) and each.rpartition(".")[2].endswith(("Dataset", "Subset")))
        for each in externals
    )


def host_tensor(site: SiteId, name: str, machine: Machine) -> Tensor:
    """A tensor that code outside of torch's operators creates on the host."""
    step = OriginStep(Step.MADE, site, CPU, name)
    return Tensor(CPU, Origin((step,)), rank0=False, serial=new_serial(), born=machine.execution.loop)


def make(machine: Machine, name: str, call: Call) -> Value:
    """An object of a data set or a data loader."""
    made = Instance(name, call.site)
    for at, each in enumerate(call.passed):
        made.arguments[each.keyword or str(at)] = each.value
    _fill(machine, made, call)
    if is_loader((name,)):
        for at, each in enumerate(call.passed):
            if each.keyword == "pin_memory" or (not each.keyword and at == _PIN):
                pinning.note_loader(machine, "torch.utils.data.DataLoader", each)
        workers.expect(machine, made, call.frame, call.node)
    return machine.adopt(made)


def _fill(machine: Machine, made: Instance, call: Call) -> None:
    """Store the arguments with which a loader or a data set of torch was created."""
    dataset = call.value("dataset", 0)
    if dataset is not None:
        made.cells["dataset"] = dataset
    tensors = [each.value for each in call.passed if not each.keyword and not each.stars]
    if made.class_name.endswith("TensorDataset"):
        others = [each.value for each in call.passed if each.stars == 1]
        made.cells["tensors"] = machine.adopt(
            Container("tuple", tensors, element=join_all(others) if others else None)
        )


def draw(machine: Machine, loader: Instance, frame: Frame, node: ir.Expression | ir.Statement) -> Elements:
    """The batches of a data loader: on the host, or on the device of the data set's tensors."""
    dataset = loader.cells.get("dataset", TOP)
    collate = loader.arguments.get("collate_fn")
    expression = node.iterable if isinstance(node, ir.For) else cast("ir.Expression", node)
    workers.start_workers(machine, loader, frame, expression)
    samplers.iterate(machine, loader, frame, expression)
    with _in_worker(machine, loader, "what a data set gives to its loader"):
        item = element_of(machine, dataset, frame, expression)
    if collate is not None and collate != NONE:
        batch = machine.adopt(Container("list", element=_fetched(machine, item)))
        with _in_worker(machine, loader, "the collate_fn of a data loader with workers"):
            passed = Passed(batch, expression, frame.site(expression))
            drawn = machine.call(collate, Call([passed], frame, expression))
        drawn = _batch(machine, drawn, frame.site(expression), set())
    elif graphs.is_loader(loader.class_name):
        drawn = graphs.graph(machine, frame.site(expression))
    elif isinstance(item, Top):
        drawn = unknown_batch(machine, frame.site(expression))
    else:
        size = loader.arguments.get("batch_size", loader.arguments.get("1", Known(1)))
        count = size.value if isinstance(size, Known) and isinstance(size.value, int) else None
        drawn = collated(machine, item, frame.site(expression), count)
    device = loader.arguments.get(PLACED)
    if isinstance(device, DeviceValue):
        return Elements(
            [machine.placed(drawn, device.device, frame.site(expression))], exact=False, drew=True
        )
    pinned = machine.truth(loader.arguments.get("pin_memory", loader.arguments.get(str(_PIN), FALSE)))
    if pinned is not None:
        drawn = in_memory(machine, drawn, pinned=pinned)
    return Elements([drawn], exact=False, drew=True)


def _fetched(machine: Machine, item: Value) -> Value:
    """An element of a data set, as a loader gives it to a function: if the data set is not known, its tensors
    are on the host by convention."""
    if isinstance(item, Input) and item.device != CPU:
        return placed(item, CPU, Confidence.LIKELY, machine.execution.loop)
    return item


def _in_worker(machine: Machine, loader: Instance, what: str) -> AbstractContextManager[None]:
    confidence = workers.worker_of(machine, loader)
    return nullcontext() if confidence is None else machine.in_worker(Worker(what, confidence))


def draw_what_is_left(machine: Machine) -> None:
    """Draw once from each loader with workers from which nothing was drawn: its user does so elsewhere."""
    facts = machine.process.facts
    while facts.waiting:
        loader, frame, node = facts.waiting.pop()
        draw(machine, loader, frame, node)


def _batch(machine: Machine, drawn: Value, site: SiteId, met: set[Object]) -> Value:
    """A batch from a function of the program: the loader is where its host tensors come from, and what is not
    known in it most likely is a batch, too."""
    match drawn:
        case Top():
            return unknown_batch(machine, site)
        case Tensor(device=device) if device == CPU:
            step = OriginStep(Step.MADE, site, CPU, _LOADER)
            return changed(drawn, origin=drawn.origin.then(step))
        case Reference(target=Container() | Instance() as held) if held not in met:
            met.add(held)
            for key, each in list(held.cells.items()):
                if isinstance(each, Top) and isinstance(held, Instance):
                    continue
                part = _batch(machine, each, site, met)
                if isinstance(part, Input) and part is not each:
                    part.evident = False
                if part is not each:
                    machine.store.write(held, key, part)
            return drawn
        case _:
            return drawn


def unknown_batch(machine: Machine, site: SiteId) -> Input:
    """An unknown batch: by convention, its tensors are on the host."""
    step = OriginStep(Step.MADE, site, CPU, _LOADER)
    return Input("batch", CPU, Confidence.LIKELY, Origin((step,)), evident=True, born=machine.execution.loop)


def collated(machine: Machine, item: Value, site: SiteId, size: int | None) -> Value:
    """The result of `default_collate` for a batch of this many elements."""
    match item:
        case Tensor():
            row = () if item.rank0 is True else item.shape
            step = OriginStep(Step.MADE, site, CPU, _LOADER)
            return changed(
                item,
                origin=item.origin.then(step) if item.device == CPU else item.origin,
                rank0=False,
                serial=new_serial(),
                born=machine.execution.loop,
                role="",
                attribute="",
                shape=None if row is None else (size, *row),
            )
        case Array():
            return host_tensor(site, _OF_ARRAYS, machine)
        case Known(value=str()) | Scalar(type="str"):
            return machine.adopt(Container("list", element=STRING))
        case Known() | Scalar():
            made_of = host_tensor(site, _LOADER, machine)
            return changed(made_of, shape=None if size is None else (size,))
        case Reference(target=Container() as held):
            made = Container("dict" if held.kind == "dict" else "list")
            for key, each in held.cells.items():
                made.cells[key] = collated(machine, each, site, size)
            return machine.adopt(made)
        case Reference(target=Instance() as held):
            copy = Instance(held.of, site)
            copy.cells = {key: collated(machine, each, site, size) for key, each in held.cells.items()}
            return machine.adopt(copy)
        case Union(alternatives=members):
            return join_all(collated(machine, each, site, size) for each in members)
        case Top():
            return unknown_batch(machine, site)
        case _:
            return item


def in_memory(machine: Machine, held: Value, *, pinned: bool) -> Value:
    """A batch in pinned or pageable memory."""
    match held:
        case Tensor(device=device) if device == CPU:
            return changed(held, pinned=pinned) if pinned or has_known_size(held) else held
        case Input() if pinned or held.device == CPU:
            # Only host memory can be pinned.
            put = placed(held, CPU, Confidence.LIKELY, machine.execution.loop)
            put.evident, put.pinned = not held.refuted, pinned
            put.refuted, put.holds_tensors = held.refuted, held.holds_tensors
            return put
        case Reference(target=Container() as container):
            made = Container(container.kind)
            made.cells = {
                key: in_memory(machine, each, pinned=pinned) for key, each in container.cells.items()
            }
            return machine.adopt(made)
        case Reference(target=Instance(of=Class(marks=marks) as of) as record) if "namedtuple" in marks:
            twin = Instance(of, record.made)
            twin.cells = {key: in_memory(machine, each, pinned=pinned) for key, each in record.cells.items()}
            return machine.adopt(twin)
        case Union(alternatives=members):
            return join_all(in_memory(machine, each, pinned=pinned) for each in members)
        case _:
            return held


def element_of(machine: Machine, dataset: Value, frame: Frame, node: ir.Expression) -> Value:
    """One element of a data set."""
    if isinstance(dataset, Union):
        return join_all(element_of(machine, each, frame, node) for each in dataset.alternatives)
    if isinstance(dataset, Tensor):
        return _row(dataset)
    if not isinstance(dataset, Reference):
        return dataset if isinstance(dataset, Input) else TOP
    own = machine.method_of(dataset, "__getitem__")
    if own is not None:
        index = Passed(INT, node, frame.site(node))
        return machine.call(own, Call([index], frame, node))
    iterator = machine.method_of(dataset, "__iter__")
    if iterator is not None:
        return join_all(machine.elements(machine.call(iterator, Call([], frame, node)), frame, node).items)
    target = dataset.target
    if isinstance(target, Container):
        return join_all(target.cells.values()) if target.cells else TOP
    if isinstance(target, Instance):
        return _of_external(machine, target, frame, node)
    return TOP


def _of_external(machine: Machine, dataset: Instance, frame: Frame, node: ir.Expression) -> Value:
    tensors = dataset.cells.get("tensors")
    if isinstance(tensors, Reference) and isinstance(tensors.target, Container):
        row = Container("tuple")
        row.cells = {key: _row(each) for key, each in tensors.target.cells.items()}
        return machine.adopt(row)
    name = dataset.class_name
    if name.rpartition(".")[2] in _HANDS_ON and "dataset" in dataset.cells:
        inner = dataset.cells["dataset"]
        if isinstance(inner, Reference) and isinstance(inner.target, Container):
            return join_all(element_of(machine, each, frame, node) for each in inner.target.items)
        return element_of(machine, inner, frame, node)
    externals = (name,) if isinstance(dataset.of, str) else dataset.of.externals
    if graphs.holds_graphs(externals):
        return graphs.graph(machine, dataset.made)
    if any(each.startswith(_PICTURES) for each in externals):
        image = host_tensor(dataset.made, name, machine)
        return machine.adopt(Container("tuple", [image, INT]))
    return TOP


def _row(held: Value) -> Value:
    """One row of a data set's tensor."""
    if not isinstance(held, Tensor):
        return held
    row = held.shape[1:] if held.shape else None
    return changed(held, rank0=None if row is None else not row, shape=row)


def call_method(machine: Machine, target: Instance, receiver: Value, name: str, call: Call) -> Value:
    """A method of a loader or a data set outside the project."""
    if name == "__init__":
        _fill(machine, target, call)
        for each in call.passed:
            if each.keyword:
                target.arguments[each.keyword] = each.value
        return NONE
    if name == "__getitem__":
        return element_of(machine, receiver, call.frame, call.node)
    if name in _DRAWS:
        drawn_from = Passed(receiver, call.receiver, call.site)
        return machine.call(External("builtins.next"), call.passing([drawn_from]))
    if name in ("map", "filter", "shuffle", "select", "with_format", "set_format"):
        return receiver
    return TOP
