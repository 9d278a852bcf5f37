"""Calls of what is imported from outside the project, by canonical name."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from devlint.model import Confidence, may_be_accelerator
from devlint.operators import find, find_host_consumer
from devlint.source.machine.domain.naming import device_named
from devlint.source.machine.domain.values import TOP, Known, Value, alternatives
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.module_classes import is_module_class
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.library import array_writes, data, distributions, foreach, host_data, optimizers
from devlint.source.machine.library.commands import COMMANDS
from devlint.source.machine.library.distributed import DISTRIBUTED
from devlint.source.machine.library.einops import EINOPS
from devlint.source.machine.library.environment import ENVIRONMENT_CALLS
from devlint.source.machine.library.expectations import EXPECTATIONS
from devlint.source.machine.library.frameworks import pretrained
from devlint.source.machine.library.functional import FUNCTIONAL
from devlint.source.machine.library.gymnasium import GYMNASIUM
from devlint.source.machine.library.host_operations import host_operation
from devlint.source.machine.library.loggers import LOGGERS
from devlint.source.machine.library.models import maker_of_model
from devlint.source.machine.library.numpy_results import result_of
from devlint.source.machine.library.python_builtins import BUILTINS
from devlint.source.machine.library.sparse import SPARSE
from devlint.source.machine.library.standard import STANDARD
from devlint.source.machine.library.starts import NOTED, note_start
from devlint.source.machine.library.threads import THREADS
from devlint.source.machine.library.torch_functions import TORCH
from devlint.source.machine.library.trees import TREES
from devlint.source.machine.library.unbound_methods import UNBOUND_METHODS
from devlint.source.machine.library.workers import WORKERS
from devlint.source.machine.modules.construction import make_layer
from devlint.source.machine.modules.state import doubt, module_of
from devlint.source.machine.operators.apply import apply

HANDLERS = {
    **BUILTINS, **STANDARD, **TORCH, **ENVIRONMENT_CALLS, **WORKERS, **DISTRIBUTED, **EXPECTATIONS,
    **TREES, **COMMANDS, **EINOPS, **GYMNASIUM, **LOGGERS, **UNBOUND_METHODS,
    **distributions.DIVERGENCES, **FUNCTIONAL, **THREADS,
}  # fmt: skip
_CLASS = re.compile(r"(?:.*\.)?[A-Z]\w*[a-z]\w*$|torch\.(?:optim|utils|cuda|amp)\.(?:.*\.)?[A-Z]\w*$")
_CAPITALS = re.compile(r"(?:.*\.)?[A-Z][A-Z0-9]+$")
_PREPROCESSOR = re.compile(
    r"transformers\.(\w+\.)*\w*(Tokenizer|TokenizerFast|Processor|FeatureExtractor)\.from_pretrained$"
)


def call_external(machine: Machine, name: str, call: Call) -> Value:
    """The result of a call by canonical name."""
    if name in NOTED:
        note_start(machine, name, call.site)
    if name.startswith(("numpy.", "random.")):
        array_writes.by_function(machine, name, call)
    handler = HANDLERS.get(name)
    if handler is not None:
        return handler(machine, call)
    if name.startswith(distributions.PREFIX) and _CLASS.match(name):
        return distributions.make(machine, name, call)
    operator = find(name)
    if operator is not None:
        return apply(machine, call.site, operator, call.passed)
    if name.startswith("torch."):
        return _of_torch(machine, name, call)
    consumer = find_host_consumer(name)
    if consumer is not None:
        host_operation(machine, name, call)
    found = host_data.loaded(machine, name, call)
    if found is not None:
        return found
    if data.is_loader((name,)) or data.is_dataset((name,)):
        return data.make(machine, name, call)
    if consumer is not None:
        return result_of(name, call.passed) if name.startswith(("numpy.", "pandas.", "scipy.")) else TOP
    if name.startswith("numpy.") or name in SPARSE:
        return result_of(name, call.passed)
    return _of_others(machine, name, call)


def is_presumed(name: str) -> bool:
    """Whether nothing is known of what a function or class of another library than torch returns, by
    canonical name: tensors are presumed to be where the arguments are."""
    known = name in HANDLERS or find(name) is not None or find_host_consumer(name) is not None
    is_data = data.is_loader((name,)) or data.is_dataset((name,)) or host_data.makes_data(name)
    return not (known or is_data) and _maker(name) in (_presumed, _unknown_object)


def _of_torch(machine: Machine, name: str, call: Call) -> Value:
    if name.startswith(foreach.PREFIX):
        return foreach.for_each_tensor(machine, name, call)
    if name == "torch.hub.load":  # by convention, entry points of a repository return models
        return pretrained(machine, name, call, Confidence.LIKELY)
    if is_module_class(name):
        return make_layer(machine, name, call)
    if data.is_loader((name,)) or data.is_dataset((name,)):
        return data.make(machine, name, call)
    if optimizers.is_optimizer((name,)):
        optimizers.take(machine, call)
    if _CLASS.match(name) or name in ("torch.no_grad", "torch.enable_grad", "torch.inference_mode"):
        return _object(machine, name, call)
    return machine.presumed(call)


def _object(machine: Machine, name: str, call: Call) -> Value:
    made = Instance(name, call.site)
    for at, each in enumerate(call.passed):
        made.arguments[each.keyword or str(at)] = each.value
    return machine.adopt(made)


def _of_others(machine: Machine, name: str, call: Call) -> Value:
    make = _maker(name)
    if make in (_presumed, _unknown_object):
        _doubt_modules(machine, call)
    return make(machine, name, call)


def _doubt_modules(machine: Machine, call: Call) -> None:
    """Doubt where the modules lie that a function is given with the name of an accelerator: it may move
    them."""
    modules = [module for each in call.values if (module := module_of(each)) is not None]
    if modules and any(_names_accelerator(each) for held in call.values for each in alternatives(held)):
        for each in modules:
            doubt(machine, each)


def _names_accelerator(held: Value) -> bool:
    """Whether a value, other than a number, is the name of an accelerator."""
    named = device_named(held)
    is_number = isinstance(held, Known) and isinstance(held.value, int)
    return named is not None and not is_number and may_be_accelerator(named.device)


@lru_cache(4096)
def _maker(name: str) -> Callable[[Machine, str, Call], Value]:
    """What makes the result of a function or class of another library."""
    model = maker_of_model(name)
    if model is not None:
        return model
    makers: tuple[tuple[object, Callable[[Machine, str, Call], Value]], ...] = (
        (_PREPROCESSOR.match(name), _preprocessor),
        (is_module_class(name), make_layer),
        (_CLASS.match(name), _unknown_object),
    )
    return next((maker for matches, maker in makers if matches), _presumed)


def _preprocessor(machine: Machine, name: str, call: Call) -> Value:
    return _object(machine, name.rpartition(".")[0], call.passing([]))


def _unknown_object(machine: Machine, name: str, call: Call) -> Value:
    machine.hand_over(call)
    return _object(machine, name, call)


def _presumed(machine: Machine, name: str, call: Call) -> Value:
    if _CAPITALS.match(name) and module_of(call.first) is not None:  # a class: `EMA(model)`
        return _unknown_object(machine, name, call)
    return machine.presumed(call)
