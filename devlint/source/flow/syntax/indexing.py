"""What tensors give for an index."""

from __future__ import annotations

from dataclasses import replace

from devlint.model import may_be_accelerator
from devlint.operators import find
from devlint.source import ir
from devlint.source.flow.operators import operations
from devlint.source.flow.operators.binding import as_indices
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.values import TOP, Alternatives, Literal, Tensor, Value


def index_unknown(frame: Frame, node: ir.Subscript, indices: list[Passed]) -> Value:
    """What a tensor on an accelerator indexes is a tensor beside it: nothing else can be.

    A host tensor indexes what lies on a device, too, so that a device that may be the host shows less.
    """
    index = next((each.value for each in indices if _is_mask(each.value)), None)
    if not isinstance(index, Tensor) or index.presumed:
        return TOP
    return index_tensor(frame, node, Tensor(index.device, presumed=True), indices)


def index_tensor(
    frame: Frame, node: ir.Subscript, value: Tensor | Alternatives, indices: list[Passed]
) -> Value:
    """What a tensor gives for an index: part of it, where it is."""
    operator = find("torch.Tensor.__getitem__")
    if operator is None:
        return TOP
    if isinstance(value, Tensor) and any(_is_mask(index.value) for index in indices):
        value = replace(value, evident=True)
    result = operations.apply(frame, node.id, operator, [Passed(value, node.value), *as_indices(indices)])
    if not isinstance(result, Tensor):
        return result
    keeps_dimensions = any(isinstance(i.expression, ir.Slice) or i.value == Literal(None) for i in indices)
    # Read by the turn of a loop, a tensor is walked over.
    walked = any(frame.changes_each_turn(index.expression) for index in indices)
    return replace(result, rank0=False if keeps_dimensions else None, walked=walked)


def _is_mask(index: Value) -> bool:
    """Whether an index is a tensor of truths on a device, by which only tensors can be indexed."""
    return isinstance(index, Tensor) and index.boolean is True and may_be_accelerator(index.device)
