"""Facts that follow from the type of a value: its attributes, and whether it is a scalar."""

from __future__ import annotations

from collections.abc import Callable

from devlint.operators import ResultKind, find, tensor_only_methods_of_numbers
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import scalar_type
from devlint.source.machine.domain.values import (
    BOOL,
    Array,
    Known,
    Reference,
    Scalar,
    Tensor,
    Value,
    alternatives,
)
from devlint.source.machine.heap.classes import class_lookup
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.module_classes import PLAIN_BASES
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.modules import state
from devlint.source.machine.modules.layers import CONTAINERS_OF_MODULES, HOLDERS_OF_PARAMETERS

_PYTHON: dict[str, type] = {
    each.__name__: each for each in (bool, bytes, complex, dict, float, int, list, set, str, tuple)
}
_OF_MODULES = frozenset(
    {"add_module", "apply", "bfloat16", "buffers", "children", "compile", "cpu", "cuda", "double", "eval",
     "extra_repr", "float", "forward", "get_buffer", "get_parameter", "get_submodule", "half",
     "load_state_dict", "modules", "named_buffers", "named_children", "named_modules", "named_parameters",
     "parameters", "register_buffer", "register_forward_hook", "register_forward_pre_hook",
     "register_full_backward_hook", "register_module", "register_parameter", "requires_grad_",
     "share_memory", "state_dict", "to", "to_empty", "train", "training", "type", "xpu", "zero_grad",
     "__call__"}
)  # fmt: skip
_OF_ARRAYS = frozenset(
    {"all", "any", "argmax", "argmin", "astype", "copy", "dtype", "flatten", "item", "max", "mean", "min",
     "ndim", "reshape", "shape", "size", "squeeze", "std", "sum", "T", "tolist", "transpose",
     "__array__", "__getitem__", "__iter__", "__len__"}
)  # fmt: skip


METHODS_OF_OTHERS = frozenset(
    {"to", "cuda", "cpu", "eval", "train", "parameters", "named_parameters", "buffers", "named_buffers",
     "step", "zero_grad", "backward", "append", "items", "keys", "values", "get", "update", "state_dict",
     "load_state_dict", "format", "join", "size", "sort", "split"}
)  # fmt: skip
"""Methods of modules, optimizers, lists, dicts and strings, any of which an input may be."""
_ATTRIBUTES_OF_OTHERS = frozenset({"index", "type", "values"})
"""Methods of lists and attributes of configurations that tensors have as methods."""


def shows_tensor(name: str) -> bool:
    """Whether hardly anything but a tensor or an array has a method of this name."""
    operator = find(f"torch.Tensor.{name}")
    is_of_others = name in METHODS_OF_OTHERS or name in _ATTRIBUTES_OF_OTHERS
    return operator is not None and operator.result.kind is not ResultKind.OTHER and not is_of_others


def takes_dimension(name: str, call: Call) -> bool:
    """Whether a method is called as only tensors' methods are: with a number as `dim`, and not with something
    else first, as a function of a library would get."""
    if find(f"torch.Tensor.{name}") is None:
        return False
    named = any(each.keyword == "dim" and _is_number(each.value) for each in call.passed)
    positional = [each.value for each in call.passed if not each.keyword]
    if positional and not _is_number(positional[0]):
        return False
    return named or (name in tensor_only_methods_of_numbers() and bool(positional))


def _is_number(held: Value) -> bool:
    return isinstance(held, Known | Scalar) and scalar_type(held) == "int"


def has_attribute(held: Value, name: str) -> bool | None:
    """`hasattr(held, name)`; None if that is not known.

    Any attribute can be set on a tensor and on most objects. So a value certainly lacks only the attributes
    that are characteristic of other types.
    """
    match held:
        case Tensor():
            return _answer(name, has=_has_tensor(name))
        case Input(evident=True) if _has_tensor(name):
            return True
        case Known(value=value):
            return hasattr(value, name)
        case Scalar(type=type_) if type_ in _PYTHON:
            return hasattr(_PYTHON[type_], name)
        case Array(type="numpy.ndarray"):
            return _of_array(name)
        case Reference(target=Container() as container) if container.kind in _PYTHON:
            return _answer(name, has=hasattr(_PYTHON[container.kind], name))
        case Reference(target=Instance() as instance):
            return _of_instance(instance, name)
        case _:
            return None


def is_scalar(held: Value) -> bool | None:
    """`numpy.isscalar(held)`; None if that is not known, as for results of NumPy."""
    match held:
        case Known(value=value):
            return value is not None
        case Scalar(type=type_) if type_ in _PYTHON:
            return True
        case Tensor() | Reference() | Input(evident=True):
            return False
        case _:
            return None


def all_say(held: Value, asks: Callable[[Value], bool | None]) -> Value:
    """The answer to a question about a value, if it is the same for all alternatives."""
    answers = {asks(each) for each in alternatives(held)}
    answer = answers.pop() if len(answers) == 1 else None
    return BOOL if answer is None else Known(answer)


def _answer(name: str, *, has: bool) -> bool | None:
    if has:
        return True
    return False if _has_tensor(name) or name in _OF_MODULES or _has_python(name) else None


def _has_tensor(name: str) -> bool:
    return find(f"torch.Tensor.{name}") is not None or hasattr(object, name)


def _has_python(name: str) -> bool:
    return any(hasattr(each, name) for each in _PYTHON.values())


def _of_array(name: str) -> bool | None:
    if name in _OF_ARRAYS:
        return True
    return False if name in _OF_MODULES or (_has_tensor(name) and not _has_python(name)) else None


def _of_instance(instance: Instance, name: str) -> bool | None:
    found, _ = class_lookup(instance.of, name)
    if found is not None or name in instance.cells or hasattr(object, name):
        return True
    externals = (instance.of,) if isinstance(instance.of, str) else instance.of.externals
    if any(hasattr(_PYTHON.get(each.removeprefix("builtins."), object), name) for each in externals):
        return True
    if state.is_module(instance):
        if name in _OF_MODULES:
            return True
        holds = any(each in CONTAINERS_OF_MODULES or each in HOLDERS_OF_PARAMETERS for each in externals)
        of_torch = all(each.startswith("torch.nn.") or each in PLAIN_BASES for each in externals)
        lacks = of_torch and not holds and _has_python(name)
    else:
        lacks = name in _OF_MODULES and all(each in PLAIN_BASES for each in externals)
    return False if lacks and class_lookup(instance.of, "__getattr__")[0] is None else None
