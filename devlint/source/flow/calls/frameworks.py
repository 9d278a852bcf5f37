"""Calls of frameworks around torch, as far as `conventions` says what they do about devices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from devlint.model import CPU, UNKNOWN, Origin, OriginStep, Step, Symbol, SymbolKind
from devlint.source import ir
from devlint.source.flow.calls import conventions
from devlint.source.flow.modules.moved_modules import replace_module
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.lattice import map_devices
from devlint.source.flow.state.values import (
    TOP,
    Batch,
    Container,
    DeviceValue,
    Literal,
    Loader,
    Managed,
    Module,
    Optimizer,
    Placer,
    Preprocessor,
    Tensor,
    Value,
)


def call(frame: Frame, node: ir.Call, name: str, passed: Sequence[Passed]) -> Value | None:
    """The value of a call of something that a framework exports, if there is a convention about it."""
    if name in conventions.OTHER_DEFAULTS:
        return Managed(TOP, DeviceValue(UNKNOWN))
    if name in conventions.PLACERS:
        return placer(name) if _names(passed).isdisjoint(conventions.PLACED_OTHERWISE) else TOP
    if conventions.PREPROCESSOR.match(name):
        return Preprocessor(name.rpartition(".")[0])
    if conventions.PRETRAINED.match(name):
        return _pretrained(node, name, passed)
    if conventions.GRAPH_LOADERS.match(name):
        return Loader(_host_batch(node, name))
    return None


def placer(name: str) -> Value:
    """An object that puts models and batches on its device."""
    own = conventions.PLACERS.get(name)
    return TOP if own is None else Placer(Symbol(f"{own}.device", SymbolKind.DEVICE))


def call_placer(frame: Frame, node: ir.Call, own: Placer, name: str, passed: Sequence[Passed]) -> Value:
    """`accelerator.prepare(model, optimizer, loader)`: each on the device of the accelerator."""
    if name in conventions.PASSES_ON and passed:
        return passed[0].value
    if name not in conventions.PLACES:
        return TOP
    placed = [_placed(frame, node, own, each) for each in passed if not each.keyword]
    if len(placed) == 1:
        return placed[0]
    return Container(TOP, tuple(enumerate(placed)), mutable=False)


def _placed(frame: Frame, node: ir.Call, own: Placer, passed: Passed) -> Value:
    value = passed.value
    match value:
        case Module():
            step = OriginStep(Step.MOVED, node.id, own.device, "torch.nn.Module.to")
            moved = replace(value, device=own.device, origin=value.origin.then(step), anchor="")
            replace_module(frame, passed.expression, value, moved)
            return moved
        case Loader() | Batch() | Tensor():
            return map_devices(value, lambda _: own.device)
        case Optimizer():
            return value
        case _:
            return TOP


def preprocess(node: ir.Call, own: Preprocessor, name: str, passed: Sequence[Passed]) -> Value:
    """What a tokenizer or a processor makes: tensors on the host, if it is asked for torch's."""
    asked = next((each.value for each in passed if each.keyword == "return_tensors"), None)
    if asked != Literal("pt"):
        return TOP
    made = _host_batch(node, own.name)
    return made.tensor if name == "encode" else made


def call_pretrained(module: Module, returned: Value) -> Value:
    """What a model of Transformers returns holds tensors where the model is."""
    return (
        Batch(Tensor(module.device, module.origin), in_place=True)
        if isinstance(returned, Tensor)
        else returned
    )


def is_pretrained(module: Module) -> bool:
    """Whether a model is one of Transformers."""
    return conventions.PRETRAINED.match(f"{module.name}.from_pretrained") is not None


def _pretrained(node: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    known = _names(passed).isdisjoint(conventions.PLACES_MODEL) and not any(a.stars == 2 for a in passed)
    device = CPU if known else UNKNOWN
    step = OriginStep(Step.MADE, node.id, device, name, implicit=known)
    return Module(device, Origin((step,)), name.rpartition(".")[0])


def _host_batch(node: ir.Call, name: str) -> Batch:
    step = OriginStep(Step.MADE, node.id, CPU, name)
    return Batch(Tensor(CPU, Origin((step,)), conventional=True), in_place=True)


def _names(passed: Sequence[Passed]) -> set[str]:
    return {argument.keyword for argument in passed if argument.keyword}
