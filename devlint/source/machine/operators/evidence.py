"""Evidence that the arguments of a function that nothing calls are on an accelerator."""

from __future__ import annotations

from devlint.model import CPU, Confidence, OriginStep
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input, bases
from devlint.source.machine.domain.values import Tensor
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.operators.operands import TensorArgument
from devlint.source.walk import once_a_node, walk


def sureness_beside(tensor: Tensor, others: list[TensorArgument], machine: Machine) -> Confidence:
    """The confidence of an operand of a mixture. A function that creates a tensor beside an argument, or
    beside what it computes from one, is meant for any device.

    Beside arguments themselves, 42 of 49 such places in libraries that do not call the function are errors
    (`tests/benchmarks/precision/possible.tsv`). What is computed from arguments was not counted.
    """
    source = tensor.source
    if source is None or source.presumed or tensor.confidence is not Confidence.POSSIBLE:
        return tensor.confidence
    if not _is_parameter(machine, source):
        return Confidence.POSSIBLE  # a part of an object, such as a data set, which may be on the host
    is_beside = any(each.tensor.device == CPU and _is_made_here(machine, each.tensor) for each in others)
    return Confidence.LIKELY if is_beside else Confidence.POSSIBLE


def _is_parameter(machine: Machine, source: Input) -> bool:
    """Whether an input is a parameter of the running function, computed from one, or what a model returns
    that is one, and no part of a parameter."""
    function = machine.frame.function
    if function is None or any(each.part for each in bases(source)):
        return False
    whole = [each for each in bases(source) if each.whole is None]
    if any(each.given_to == function.identity for each in whole):
        return True
    names = [each.name for each in whole]
    return any(each.name in names for each in function.node.parameters)


def _is_made_here(machine: Machine, tensor: Tensor) -> bool:
    """Whether the running function created a tensor, without a device."""
    made, function = tensor.origin.made(), machine.frame.function
    return made is not None and made.implicit and function is not None and makes(function, made)


def makes(function: Function, step: OriginStep) -> bool:
    """Whether the text of a function contains the call that creates a tensor."""
    return step.site - function.file.base in call_identities(function.node)


@once_a_node
def call_identities(definition: ir.FunctionDef | ir.Lambda) -> frozenset[int]:
    """The identities of the calls in a function."""
    inside = walk((definition,), into_scopes=True)
    return frozenset(each.id for each in inside if isinstance(each, ir.CallExpression))
