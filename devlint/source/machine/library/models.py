"""Functions and classes of libraries that make, load or wrap models."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from devlint.model import UNKNOWN, Confidence
from devlint.source.machine.domain.values import NONE, TOP, DeviceValue, External, Known, Reference, Value
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.module_classes import is_model_of_library
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library.data import host_tensor
from devlint.source.machine.library.frameworks import pretrained
from devlint.source.machine.modules import state
from devlint.source.machine.operators.devices import wanted

Maker = Callable[[Machine, str, Call], Value]
_PRETRAINED = re.compile(r"transformers\.(AutoModel\w*|\w+(Model|For[A-Z]\w+))\.from_pretrained$")
_BUILDER = re.compile(
    r"torchvision\.models\.(\w+\.)*(?!get_model_|get_weight|list_models)[a-z]\w*$"
    r"|timm\.create_model$|segmentation_models_pytorch\.create_model$|open_clip\.create_model$"
)
"""Functions that return a module with parameters on the host, according to their libraries' documentation."""
_METRIC = re.compile(r"torchmetrics\.(\w+\.)*[A-Z]\w*$")
"""Metrics of torchmetrics: some keep lists instead of tensors, which may hold those of any device."""
_MODULE_CLASS = re.compile(r"(torch_geometric\.nn|dgl\.nn|timm\.layers)\.(\w+\.)*[A-Z]\w*$")
"""Classes of modules with parameters or buffers, which their constructors put on the host."""
_PLACES_MODEL = frozenset({"quantization_config", "load_in_8bit", "load_in_4bit", "max_memory", "tp_plan"})
_STRATEGIES = (Known("auto"), Known("balanced"), Known("sequential"))
"""Values of `device_map` that put a model on the accelerator, if there is one of enough memory."""
_ENGINE = "deepspeed.DeepSpeedEngine"


@lru_cache(4096)
def maker_of_model(name: str) -> Maker | None:
    """What makes the result of a function or class, if that is a model, or something with a model in it."""
    found = _MAKERS.get(name)
    if found is not None:
        return found
    if _PRETRAINED.match(name):
        return _of_transformers
    if _BUILDER.match(name) or _MODULE_CLASS.match(name) or is_model_of_library(name):
        return pretrained
    return _likely if _METRIC.match(name) else None


def _likely(machine: Machine, name: str, call: Call) -> Value:
    return pretrained(machine, name, call, Confidence.LIKELY)


def _of_transformers(machine: Machine, name: str, call: Call) -> Value:
    """A model of Transformers, which is created on the host unless an argument names a device."""
    if any(each.keyword in _PLACES_MODEL or each.stars == 2 for each in call.passed):
        return TOP
    made = pretrained(machine, name.rpartition(".")[0], call)
    device_map = call.argument("device_map")
    if device_map is None or device_map.value == NONE:
        return made
    place = _mapped(machine, device_map)
    if place is None:
        return TOP
    return _moved(machine, made, place, name, call)


def _mapped(machine: Machine, device_map: Passed) -> DeviceValue | None:
    """The device of `device_map="cuda"`, `{"": 0}` and `"auto"`; None if it is not known. A model on several
    devices moves its inputs itself (accelerate/big_modeling.py, `dispatch_model`)."""
    held = device_map.value
    if held in _STRATEGIES:
        return DeviceValue(machine.accelerator, confidence=Confidence.LIKELY)
    if isinstance(held, Reference) and isinstance(held.target, Container):
        device_map = device_map._replace(value=held.target.cells.get("", TOP))
    place = wanted(machine, device_map)
    return None if place.device == UNKNOWN else place


def _moved(machine: Machine, made: Value, place: DeviceValue, name: str, call: Call) -> Value:
    module = state.module_of(made)
    if module is not None:
        state.move(machine, module, place, call.site, name)
    return made


def _clip(machine: Machine, name: str, call: Call) -> Value:
    """`clip.load(name, device=None)`: a model, by default on the accelerator, and a function for images."""
    supplied = call.argument("device", 1)
    place = DeviceValue(machine.accelerator) if supplied is None else wanted(machine, supplied)
    made = _moved(machine, pretrained(machine, name, call.passing([])), place, name, call)
    return machine.adopt(Container("tuple", [made, _images(machine, call)]))


def _open_clip(parts: int) -> Maker:
    """A function that returns a model and functions for images; the model is on the host by default."""

    def maker(machine: Machine, name: str, call: Call) -> Value:
        supplied = call.argument("device")
        made: Value = pretrained(machine, name, call.passing([]))
        if supplied is not None:
            made = _moved(machine, made, wanted(machine, supplied), name, call)
        return machine.adopt(Container("tuple", [made, *[_images(machine, call)] * (parts - 1)]))

    return maker


def _images(machine: Machine, call: Call) -> Value:
    return machine.adopt(Instance("torchvision.transforms.Compose", call.site))


def _tokens(machine: Machine, name: str, call: Call) -> Value:
    return host_tensor(call.site, name, machine)


def _tokenizer(machine: Machine, name: str, call: Call) -> Value:
    return External("open_clip.tokenize")


def _adapted(machine: Machine, name: str, call: Call) -> Value:
    """A function of PEFT that returns its model with other parameters in it (peft/mapping_func.py)."""
    return call.first if call.passed else TOP


def _engine(machine: Machine, name: str, call: Call) -> Value:
    """`deepspeed.initialize(model=...)`: an engine, which moves the model to the accelerator, an optimizer, a
    loader and a scheduler (deepspeed/runtime/engine.py, `_configure_distributed_model`)."""
    made = Instance(_ENGINE, call.site)
    model = call.value("model", 1)
    if model is None:
        return TOP
    made.cells["module"] = _moved(machine, model, DeviceValue(machine.accelerator), name, call)
    return machine.adopt(Container("tuple", [machine.adopt(made), TOP, TOP, TOP]))


_MAKERS: dict[str, Maker] = {
    "clip.load": _clip,
    "clip.tokenize": _tokens,
    "open_clip.create_model_and_transforms": _open_clip(3),
    "open_clip.create_model_from_pretrained": _open_clip(2),
    "open_clip.get_tokenizer": _tokenizer,
    "open_clip.tokenize": _tokens,
    "peft.get_peft_model": _adapted,
    "peft.PeftModel.from_pretrained": _adapted,
    "peft.prepare_model_for_kbit_training": _adapted,
    "deepspeed.initialize": _engine,
}
