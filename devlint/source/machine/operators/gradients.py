"""Gradients of tensors: autograd keeps those of the tensors that a program makes, and none of results.

`result.grad` is None after a backward pass, unless the program asks autograd to retain it (docs of torch,
"Autograd mechanics"). A result that is computed without a graph may become a tensor with a gradient as well.
"""

from __future__ import annotations

from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import is_floating_with_gradient
from devlint.source.machine.domain.values import NONE, Tensor, Value, changed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.operators.binding import Bound
from devlint.source.machine.operators.operands import TensorArgument
from devlint.source.machine.operators.shapes import ITEMSIZES

REQUESTS = frozenset({"requires_grad_", "retain_grad"})
"""Methods that ask autograd for the gradient of a tensor."""
SETTINGS = frozenset({"grad", "requires_grad"})
"""Attributes by which a program sets the gradient of a tensor, or asks for it."""
_MAY_RETURN_ITSELF = frozenset(
    {"atleast_1d", "atleast_2d", "atleast_3d", "coalesce", "conj", "contiguous", "detach", "flatten",
     "pin_memory", "positive", "ravel", "real", "resolve_conj", "resolve_neg", "sum_to_size", "type",
     "type_as", *ITEMSIZES}
)  # fmt: skip
"""Operators that may return their operand as it is; of what `detach` returns, autograd knows nothing."""


def is_in_graph(bound: Bound, tensors: list[TensorArgument]) -> bool:
    """Whether a result is computed from parameters, so that no gradient of it is kept."""
    name = bound.operator.name.rpartition(".")[2]
    if name == "detach":
        return False
    computes = name not in _MAY_RETURN_ITSELF
    return any(one.tensor.in_graph or (computes and one.tensor.role == "parameter") for one in tensors)


def ask_for_gradient(machine: Machine, tensor: Tensor) -> Tensor:
    """Record that a program asks for the gradient of a tensor. Other results may be the same tensor, or are
    treated alike."""
    if not tensor.in_graph:
        return tensor
    machine.process.facts.keeps_gradients = True
    return changed(tensor, in_graph=False)


def gradient_of(machine: Machine, tensor: Tensor) -> Value:
    """`tensor.grad`."""
    if tensor.in_graph and not tensor.role and not machine.process.facts.keeps_gradients:
        return NONE
    loop = machine.execution.loop
    floating = is_floating_with_gradient(tensor)
    return changed(tensor, role="", floating=floating, born=loop, serial=new_serial(), in_graph=False)
