"""Hot paths: what runs once a step, a batch or a token."""

from __future__ import annotations

import re
from collections.abc import Iterator

from devlint.model import HotPath
from devlint.source import ir
from devlint.source.flow.frame import Frame
from devlint.source.flow.modules import STEP_METHODS
from devlint.source.flow.values import ClassInfo, External, Instance, Loader, Module, Optimizer, Value
from devlint.source.walk import Node, children, path

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
        return not info.is_module and bool(HOST_CLASSES.search(info.name))
    return "collate" in name


def of_function(info: ClassInfo | None, name: str) -> HotPath | None:
    """The hot path that a whole method lies on, if it does."""
    if info is None or not info.is_module:
        return None
    if name == "forward":
        return HotPath.FORWARD
    if name in STEP_METHODS:
        return HotPath.STEP
    return None


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
    last = frame.qualname.rsplit(".", 1)[-1]
    if calls_model and any(word in last for word in _GENERATION):
        return HotPath.GENERATION_LOOP
    return None


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
