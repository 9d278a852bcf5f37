"""Hot paths: what runs once a step, a batch or a token."""

from __future__ import annotations

import re
from collections.abc import Iterator

from devlint.model import HotPath, Kind
from devlint.source import ir
from devlint.source.flow.evidence.evidence import Evidence
from devlint.source.flow.modules.modules import STEP_METHODS
from devlint.source.flow.state.class_info import ClassInfo
from devlint.source.flow.state.frame import Frame
from devlint.source.flow.state.values import (
    Container,
    External,
    Instance,
    Loader,
    Module,
    Optimizer,
    Scalar,
    Tensor,
    Value,
)
from devlint.source.flow.syntax.movers import UPLOADERS
from devlint.source.walk import Node, children, path, walk

HOST_CLASSES = re.compile(
    r"(Processor|Processing\w*|Extractor|Tokenizer\w*|Collator\w*|Dataset|Augment\w*|Transform|Visualizer|Loader|Prompt)$"
)
"""Names of classes that prepare data before it goes to a device."""
_GENERATION = ("generate", "sample", "decode", "denoise")
"""Words in the name of a function whose loop over a model makes tokens or frames."""


def is_host_code(info: ClassInfo | None, name: str) -> bool:
    """Whether a function prepares data on the host: a collate function, a data set, a feature extractor.

    What it is given lies on the host, unless it says otherwise.
    """
    if info is not None:
        return not info.is_module and any(map(_prepares_data, info.lineage()))
    return "collate" in name


def _prepares_data(info: ClassInfo) -> bool:
    """Whether a class is for preparing data, as it or a base outside the file is called."""
    return info.is_data_set or any(map(HOST_CLASSES.search, (info.name, *info.outside)))


def of_function(info: ClassInfo | None, name: str, evidence: Evidence) -> HotPath | None:
    """The hot path that a whole method lies on, if it does."""
    if info is None:
        return None
    if info.is_module and name == "forward":
        return HotPath.FORWARD
    if (info.is_module and name in STEP_METHODS) or name in _step_methods(info):
        return HotPath.STEP
    takes_tensors = Kind.TENSOR in evidence.kinds.values()
    if name == "step" and takes_tensors:
        return HotPath.RECURRING
    if info.is_module and takes_tensors and _stands_for_forward(info, name):
        return HotPath.FORWARD
    return None


def _stands_for_forward(info: ClassInfo, name: str) -> bool:
    """Whether a method does what a module without a forward is for, and is not one of its inner steps."""
    lineage = info.lineage()
    has_forward = any("forward" in each.methods or each.unknown_base for each in lineage)
    elsewhere = {base for each in lineage for base in each.outside} - {"torch.nn.Module"}
    if has_forward or elsewhere or name.startswith("_"):
        return False
    nodes = walk([function for each in lineage for function in each.methods.values()], into_scopes=True)
    return not any(isinstance(node, ir.Call) and path(node.function) == f"self.{name}" for node in nodes)


def _step_methods(info: ClassInfo) -> frozenset[str]:
    names = (_STEPS.get(base, frozenset()) for each in info.lineage() for base in each.outside)
    return frozenset().union(*names)


_STEPS = {
    "torchmetrics.Metric": frozenset({"update"}),
    "torchmetrics.metric.Metric": frozenset({"update"}),
    "torch.optim.Optimizer": frozenset({"step"}),
    "torch.optim.optimizer.Optimizer": frozenset({"step"}),
    "transformers.Trainer": frozenset({"training_step", "prediction_step", "compute_loss"}),
}
"""What a class calls once a batch, by the base that says so."""


def of_loop(frame: Frame, body: ir.Block, iterable: Value | None) -> HotPath | None:
    """The hot path that a loop's body lies on: what the loop does decides, not what it is called."""
    calls_model = False
    for node in _outside_inner_loops(body):
        if not isinstance(node, ir.Call):
            continue
        function = node.function
        if isinstance(function, ir.Attribute) and function.name == "backward":
            return HotPath.TRAINING_LOOP
        if (
            isinstance(function, ir.Attribute)
            and function.name == "step"
            and _is_optimizer(frame, function.value)
        ):
            return HotPath.TRAINING_LOOP
        calls_model = calls_model or _is_model(frame, function)
    if isinstance(iterable, Loader):
        return HotPath.LOADER_LOOP
    if _is_named_tensors(iterable) and _uploads(body):
        return HotPath.STATE_LOOP
    last = frame.qualname.rsplit(".", 1)[-1]
    if calls_model and any(word in last for word in _GENERATION):
        return HotPath.GENERATION_LOOP
    return None


def _is_named_tensors(iterable: Value | None) -> bool:
    """Whether a loop draws names and tensors, as from the items of a state dict."""
    match iterable:
        case Container(element=Container(items=((_, Scalar()), (_, Tensor(evident=True))))):
            return True
        case _:
            return False


def _uploads(body: ir.Block) -> bool:
    """Whether a turn moves something by itself, to where it is wanted."""
    called = (node.function for node in _outside_inner_loops(body) if isinstance(node, ir.Call))
    return any(isinstance(function, ir.Attribute) and function.name in UPLOADERS for function in called)


def _outside_inner_loops(body: ir.Block) -> Iterator[Node]:
    """What a turn of a loop does itself; what an inner loop does is that loop's."""
    stack: list[Node] = list(body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, ir.For | ir.While | ir.Function | ir.Class | ir.Lambda):
            stack.extend(children(node))


def _is_optimizer(frame: Frame, expression: ir.Expression) -> bool:
    name = path(expression)
    return bool(name) and isinstance(_value_of(frame, name), Optimizer)


def _is_model(frame: Frame, expression: ir.Expression) -> bool:
    name = path(expression)
    value = _value_of(frame, name) if name else None
    if isinstance(value, Instance):
        return value.info.is_module
    return isinstance(value, Module)


def _value_of(frame: Frame, name: str) -> Value | None:
    value = frame.environment.get(name) or (frame.look_up(name) if "." not in name else None)
    if value is None and name.startswith("self.") and frame.info is not None:
        return frame.info.attributes.get(name.removeprefix("self."))
    return None if isinstance(value, External) else value
