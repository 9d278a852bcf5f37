"""Which names outside the project may give a tensor a place of its own: not that of its operands."""

from __future__ import annotations

import sys
from functools import lru_cache

from devlint.model.device import DEVICE_TYPES
from devlint.operators import DeviceRule, Operator, ResultDevice, ResultKind, find
from devlint.source.machine.domain.kinds import OF_CUDA
from devlint.source.machine.domain.values import PythonConstant
from devlint.source.machine.library.externals import is_presumed

_FOLLOW_OPERANDS = frozenset(
    {"torch.Size", "torch.autograd.Variable", "torch.nn.Buffer", "torch.nn.Module",
     "torch.nn.ModuleDict", "torch.nn.ModuleList", "torch.nn.Parameter", "torch.nn.ParameterDict",
     "torch.nn.ParameterList", "torch.nn.Sequential", "torch.nn.parameter.Parameter"}
)  # fmt: skip
"""Classes of torch that leave tensors where they are."""
_GIVE_PLACES = frozenset(
    {"torch.cuda.current_device", "torch.hub.load", "torch.load",
     "torch.nn.Transformer.generate_square_subsequent_mask", "torch.set_default_device"}
)  # fmt: skip
"""Functions of torch without a row in the table whose results, or whose effects, have places."""
_TO_GIVEN_PLACE = frozenset({"to", "type", "type_as"})
"""Methods that move to the place that an argument names."""
_NO_TENSORS = frozenset({"builtins", "typing_extensions", *sys.stdlib_module_names})
"""Libraries whose results hold no tensors, except those that they are given."""


def names_place(constant: PythonConstant) -> bool:
    """Whether a constant names a device, or a type of tensors on one, or begins such a name."""
    if not isinstance(constant, str):
        return False
    return constant.partition(":")[0] in DEVICE_TYPES or constant.startswith(OF_CUDA)


@lru_cache(4096)
def may_give_place(name: str, *, is_called: bool = False, has_device: bool = False) -> bool:
    """Whether the result of a function or a class outside the project, by canonical name, may be elsewhere
    than its operands, or has to be. `has_device` if it is called with an argument for the device."""
    if name == "torch.Tensor" and not is_called:
        return False  # the type of tensors
    library, _, last = name.partition(".")
    if library in _NO_TENSORS:
        return False
    if library != "torch":
        return not is_presumed(name)
    row = find(name)
    if row is None:
        is_class = last.rpartition(".")[2][:1].isupper()
        return name in _GIVE_PLACES or (is_class and name not in _FOLLOW_OPERANDS)
    return _gives_place(row) and not (has_device and row.rule is DeviceRule.FACTORY)


@lru_cache(4096)
def may_be_moving_method(name: str) -> bool:
    """Whether the method of a tensor with this name gives it a place of its own, or needs one."""
    if name in _TO_GIVEN_PLACE:
        return False
    row = find(f"torch.Tensor.{name}")
    return row is not None and _gives_place(row)


def _gives_place(row: Operator) -> bool:
    if row.rule in (DeviceRule.FACTORY, DeviceRule.MOVES, DeviceRule.HOST_ONLY_ARGUMENT):
        return True
    is_host = row.result.kind is ResultKind.ARRAY or row.result.device is ResultDevice.HOST
    return is_host or any(each.host for each in row.arguments)
