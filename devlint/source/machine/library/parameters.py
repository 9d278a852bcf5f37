"""Functions of `torch.nn.utils` on the parameters of modules."""

from __future__ import annotations

from devlint.model import Cause
from devlint.operators import find
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import NONE, TOP, TRUE, Tensor, Value, changed
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.library.handlers import Handler, constant
from devlint.source.machine.modules.state import replace_data
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.operators.waits import note_wait

_CLIP = "torch.nn.utils.clip_grad_norm_"


def _clip_norm(machine: Machine, call: Call) -> Value:
    """`clip_grad_norm_(parameters, 1.0)`, which reads the norm only to raise an error if it is not finite
    (torch/nn/utils/clip_grad.py)."""
    operator = find(_CLIP)
    if operator is None:
        return TOP
    norm = apply(machine, call.site, operator, call.passed)
    if call.passed and isinstance(norm, Tensor) and call.value("error_if_nonfinite", 3) == TRUE:
        note_wait(machine, call.site, _CLIP, Cause.BRANCH, norm, call.passed[0], "parameters")
    return norm


def _to_vector(machine: Machine, call: Call) -> Value:
    """`parameters_to_vector(module.parameters())`: a new tensor on the device of the parameters."""
    parameters = join_all(machine.elements(call.first, call.frame, call.node).items)
    if not isinstance(parameters, Tensor):
        return TOP
    loop = machine.execution.loop
    return changed(parameters, role="", rank0=False, shape=None, serial=new_serial(), born=loop)


def _from_vector(machine: Machine, call: Call) -> Value:
    """`vector_to_parameters(vector, module.parameters())`: the data of the parameters are parts of the
    vector, on its device (torch/nn/utils/convert_parameters.py)."""
    vector, parameters = tensor_of(call.value("vec", 0) or TOP), call.value("parameters", 1)
    if vector is None or parameters is None:
        return NONE
    for each in machine.elements(parameters, call.frame, call.node).items:
        module = machine.listed.get(each.serial) if isinstance(each, Tensor) else None
        if isinstance(each, Tensor) and module is not None:
            replace_data(machine, module, each.role, vector)
    return NONE


OF_PARAMETERS: dict[str, Handler] = {
    _CLIP: _clip_norm,
    "torch.nn.utils.clip_grad_norm": _clip_norm,
    "torch.nn.utils.clip_grad_value_": constant(NONE),
    "torch.nn.utils.parameters_to_vector": _to_vector,
    "torch.nn.utils.convert_parameters.parameters_to_vector": _to_vector,
    "torch.nn.utils.vector_to_parameters": _from_vector,
    "torch.nn.utils.convert_parameters.vector_to_parameters": _from_vector,
}
"""The functions, by canonical name."""
