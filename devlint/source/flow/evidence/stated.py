"""What kind of value an annotation states, or a default."""

from __future__ import annotations

from collections.abc import Callable

from devlint.model import Kind
from devlint.source import ir
from devlint.source.flow.evidence.quoted import unquoted
from devlint.source.walk import path

ANNOTATIONS = {
    "torch.Tensor": Kind.TENSOR,
    "torch.FloatTensor": Kind.TENSOR,
    "torch.LongTensor": Kind.TENSOR,
    "torch.BoolTensor": Kind.TENSOR,
    "torch.IntTensor": Kind.TENSOR,
    "torch.autograd.Variable": Kind.TENSOR,
    "torch.nn.Parameter": Kind.TENSOR,
    "torch.nn.Module": Kind.MODULE,
    "torch.nn.Sequential": Kind.MODULE,
    "torch.device": Kind.DEVICE,
    "torch.optim.Optimizer": Kind.OPTIMIZER,
    "torch.optim.optimizer.Optimizer": Kind.OPTIMIZER,
    "torch.utils.data.DataLoader": Kind.LOADER,
    "torch.Generator": Kind.GENERATOR,
    "int": Kind.SCALAR,
    "float": Kind.SCALAR,
    "bool": Kind.SCALAR,
    "str": Kind.SCALAR,
    "numpy.ndarray": Kind.ARRAY,
}
"""What an annotation says, by canonical name."""
CONTAINERS = frozenset(
    {
        "List",
        "Tuple",
        "Dict",
        "Sequence",
        "Iterable",
        "Mapping",
        "MutableMapping",
        "OrderedDict",
        "list",
        "dict",
        "tuple",
        "Iterator",
        "Collection",
    }
)
"""Annotations of what holds several values; for a mapping, the last one counts."""


def stated_kind(
    parameter: ir.Parameter, resolve: Callable[[str], str], is_own_class: Callable[[str], bool]
) -> Kind | None:
    """The kind that an annotation states, or a default that is a number or a text: `theta=10000`.

    A `Tensor` that is a class of the project is none of torch's, whatever it can do.
    """
    default = parameter.default
    match parameter.annotation:
        case None:
            name = ""
        case ir.Constant(value=str(quoted)):
            name = quoted
        case spelled:
            name = path(spelled)
    if name.rpartition(".")[2] == "Tensor" and is_own_class(name):
        return Kind.UNKNOWN
    if (
        parameter.annotation is None
        and isinstance(default, ir.Constant)
        and isinstance(default.value, int | float | str)
    ):
        # What is named for a device is one, whether by its name or by its ordinal.
        return None if parameter.name.endswith("device") else Kind.SCALAR
    return annotated_kind(parameter.annotation, resolve)


def annotated_kind(annotation: ir.Expression | None, resolve: Callable[[str], str]) -> Kind | None:
    """The kind that an annotation states: `Tensor`, `Optional[Tensor]`, `Tensor | None`, `"Tensor"`."""
    match annotation:
        case ir.Name() | ir.Attribute():
            name = path(annotation)
            stated = resolve(name) or name
            other_class = (
                Kind.UNKNOWN if name[:1].isupper() and "Tensor" not in name and len(name) > 1 else None
            )
            return ANNOTATIONS.get(stated, other_class)
        case ir.Constant(value=str(text), id=site):
            spelled = unquoted(text, site)
            return Kind.UNKNOWN if spelled is None else annotated_kind(spelled, resolve)
        case ir.Subscript(value=value, indices=(index,)) if path(value).rsplit(".", 1)[-1] == "Optional":
            return annotated_kind(index, resolve)
        case ir.Binary(operator="or", left=left, right=ir.Constant(value=None)):
            return annotated_kind(left, resolve)
        case ir.Binary(operator="or", left=ir.Constant(value=None), right=right):
            return annotated_kind(right, resolve)
        case ir.Subscript(value=value, indices=indices) if path(value).rsplit(".", 1)[-1] in CONTAINERS:
            held = annotated_kind(
                indices[-1 if len(indices) == 2 and not isinstance(indices[1], ir.Dots) else 0], resolve
            )
            return Kind.CONTAINER if held is Kind.TENSOR else Kind.UNKNOWN
        case _:
            return Kind.UNKNOWN if annotation is not None and _is_union(annotation) else None


def _is_union(annotation: ir.Expression) -> bool:
    """A union of several kinds: nothing that the uses suggest can be relied on."""
    match annotation:
        case ir.Binary(operator="or"):
            return True
        case ir.Subscript(value=value):
            return path(value).rsplit(".", 1)[-1] == "Union"
        case _:
            return False
