"""Whether a constructor may keep a tensor, by what it does to come by it.

Where the interpreter knows nothing, the text may still show that one way leads to a tensor:
`if not torch.is_tensor(x): x = torch.tensor(x)`, or a function that states that it gives one.
"""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Kind, SiteId
from devlint.operators import DeviceRule, find
from devlint.source import ir
from devlint.source.flow.evidence import annotated_kind
from devlint.source.flow.frame import Frame
from devlint.source.flow.values import PARAMETER_MAKERS, External, FunctionValue
from devlint.source.walk import Node, path, text


def may_be_tensor(frame: Frame, statement: SiteId) -> bool:
    """Whether what a statement keeps is a tensor where one of the ways to it is taken."""
    kept = next((n for n in frame.evidence.nodes if isinstance(n, ir.Assign) and n.id == statement), None)
    if kept is None:
        return False
    if not isinstance(kept.value, ir.Name):
        return _gives_tensor(frame, kept.value)
    return any(_gives_tensor(frame, value) for value in _bound_to(frame, kept.value.name))


def is_registered_as(frame: Frame, name: str) -> bool:
    """Whether it also makes a buffer, or a parameter, of that name."""
    return any(_registers(node, name) for node in frame.evidence.nodes)


def _registers(node: Node, name: str) -> bool:
    """`self.register_buffer("name", x)`."""
    match node:
        case ir.Call(function=ir.Attribute(name=maker), arguments=(first, *_)):
            known = first.value
            return maker in PARAMETER_MAKERS and isinstance(known, ir.Constant) and known.value == name
        case _:
            return False


def _bound_to(frame: Frame, name: str) -> Iterable[ir.Expression]:
    for node in frame.evidence.nodes:
        if isinstance(node, ir.Assign) and any(text(target) == name for target in node.targets):
            yield node.value


def _gives_tensor(frame: Frame, value: ir.Expression) -> bool:
    """A factory, or a function of the project that states that it gives a tensor."""
    if not isinstance(value, ir.Call):
        return False
    dotted = path(value.function)
    operator = find(frame.canonical(dotted)) if dotted and frame.canonical(dotted) else None
    if operator is not None:
        return operator.rule is DeviceRule.FACTORY
    known = frame.look_up(dotted) if dotted else None
    if isinstance(known, External):
        known = frame.program.imports.value(known)
    return (
        isinstance(known, FunctionValue)
        and annotated_kind(known.function.returns, frame.canonical) is Kind.TENSOR
    )
