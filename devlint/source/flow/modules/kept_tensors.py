"""Whether a constructor may keep a tensor, by what it does to come by it.

Where the interpreter knows nothing, the text may still show that one way leads to a tensor:
`if not torch.is_tensor(x): x = torch.tensor(x)`, or a function that states that it gives one.
"""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Kind, SiteId
from devlint.operators import DeviceRule, ResultKind, find
from devlint.source import ir
from devlint.source.flow.evidence.stated import annotated_kind
from devlint.source.flow.state.frame import Frame
from devlint.source.flow.state.values import PARAMETER_MAKERS, External, FunctionValue
from devlint.source.walk import other_branches, path, text, walk


def may_be_tensor(frame: Frame, statement: SiteId) -> bool:
    """Whether what a statement keeps is a tensor where one of the ways to it is taken."""
    kept = _kept_by(frame, statement)
    if kept is None:
        return False
    if not isinstance(kept, ir.Name):
        return _gives_tensor(frame, kept)
    return any(_gives_tensor(frame, value) for value in _bound_to(frame, kept.name))


def is_worked_out(frame: Frame, statement: SiteId) -> bool:
    """Whether what a statement keeps is computed, and so another tensor than any that is registered:
    `self.steps * 2`, by whatever names."""
    kept = _kept_by(frame, statement)
    return kept is not None and isinstance(_behind_names(frame, kept), ir.Binary | ir.Unary)


def is_akin_to_registered(frame: Frame, statement: SiteId) -> bool:
    """Whether what a statement keeps is part of what a buffer is part of, or worked out of the same:
    `bounds[0]` beside `self.register_buffer("upper", bounds[1])`."""
    kept = _kept_by(frame, statement)
    root = _root(frame, kept) if kept is not None else ""
    return bool(root) and any(
        _root(frame, node.arguments[-1].value) == root
        for node in frame.evidence.nodes
        if isinstance(node, ir.Call) and _is_maker(node) and len(node.arguments) > 1
    )


def registered_elsewhere(frame: Frame, statement: SiteId) -> frozenset[SiteId]:
    """The calls in the other branches where one has a statement: what they register, this one does not."""
    others = other_branches(
        frame.evidence.nodes, lambda each: isinstance(each, ir.Assign) and each.id == statement
    )
    return frozenset(each.id for other in others for each in walk(other) if isinstance(each, ir.Call))


def is_registered_as(frame: Frame, name: str, but: frozenset[SiteId] = frozenset()) -> bool:
    """Whether a constructor also makes a buffer, or a parameter, of that name, but by these calls."""
    return any(
        _is_maker(node) and _states(node.arguments[:1], name) and node.id not in but
        for node in frame.evidence.nodes
        if isinstance(node, ir.Call)
    )


def _is_maker(call: ir.Call) -> bool:
    """`self.register_buffer(…)`."""
    return isinstance(call.function, ir.Attribute) and call.function.name in PARAMETER_MAKERS


def _states(first: tuple[ir.Argument, ...], name: str) -> bool:
    return any(isinstance(each.value, ir.Constant) and each.value.value == name for each in first)


def _kept_by(frame: Frame, statement: SiteId) -> ir.Expression | None:
    kept = (n.value for n in frame.evidence.nodes if isinstance(n, ir.Assign) and n.id == statement)
    return next(kept, None)


def _root(frame: Frame, value: ir.Expression) -> str:
    """`bounds` of `bounds[0]`, and of `low` where that is `bounds.mean(0)`; empty if it is no part of
    anything."""
    inner = _before_last_step(_behind_names(frame, value))
    seen: set[int] = set()
    while inner is not None and id(inner) not in seen:
        seen.add(id(inner))
        before = _before_last_step(_behind_names(frame, inner))
        if before is None:
            return path(inner)
        inner = before
    return ""


def _before_last_step(value: ir.Expression) -> ir.Expression | None:
    """What it is a part of, by index, or what a method of tensors has worked it out of."""
    match value:
        case ir.Subscript(value=inner):
            return inner
        case ir.Call(function=ir.Attribute(value=inner, name=name)):
            operator = find(f"torch.Tensor.{name}")
            return inner if operator is not None and operator.result.kind is ResultKind.TENSOR else None
        case _:
            return None


def _behind_names(frame: Frame, value: ir.Expression) -> ir.Expression:
    """What a local name was bound to first, as long as that has one."""
    seen: set[str] = set()
    while isinstance(value, ir.Name) and value.name not in seen:
        seen.add(value.name)
        value = next(iter(_bound_to(frame, value.name)), value)
    return value


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
