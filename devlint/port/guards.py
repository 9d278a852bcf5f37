"""Code that is reached only with CUDA: the branches of tests for it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.port.project import Project
from devlint.port.source import Source, parameters, text_of

_ASKS = frozenset({"torch.cuda.is_available", "torch.cuda.is_initialized"})
_CUDA, _CPU = "cuda", "cpu"


class Guards:
    """The tests for CUDA in a project."""

    def __init__(self, project: Project) -> None:
        self._attributes = project.attributes
        self._asked: dict[tuple[Source, str], bool] = {}

    def reached_with_cuda_only(self, source: Source, node: cst.CSTNode) -> bool:
        """Whether a node is in a branch that is executed only with CUDA."""
        for parent, child in source.around(node):
            if isinstance(parent, (cst.If, cst.IfExp)):
                if child is parent.body and self.needs_cuda(source, parent.test):
                    return True
                if child is parent.orelse and self.refuses_cuda(source, parent.test):
                    return True
            elif isinstance(parent, cst.BooleanOperation) and child is parent.right:
                asks = self.needs_cuda if isinstance(parent.operator, cst.And) else self.refuses_cuda
                if asks(source, parent.left):
                    return True
        return False

    def needs_cuda(self, source: Source, test: cst.BaseExpression) -> bool:
        """Whether a test is true only where there is CUDA."""
        match test:
            case cst.Call():
                return source.imported(test.func) in _ASKS or (
                    source.builtin(test.func, "bool")
                    and len(test.args) == 1
                    and self.needs_cuda(source, test.args[0].value)
                )
            case cst.BooleanOperation(operator=cst.And()):
                return self.needs_cuda(source, test.left) or self.needs_cuda(source, test.right)
            case cst.BooleanOperation():
                return self.needs_cuda(source, test.left) and self.needs_cuda(source, test.right)
            case cst.UnaryOperation(operator=cst.Not()):
                return self.refuses_cuda(source, test.expression)
            case cst.IfExp():
                return (
                    self.needs_cuda(source, test.test) or self.needs_cuda(source, test.body)
                ) and _is_false(test.orelse)
            case cst.Comparison():
                return _compares_with_cuda(source, test)
            case cst.Attribute(attr=cst.Name(value="is_cuda")):
                return True
            case cst.Attribute():
                values = self._attributes.get(test.attr.value, [])
                return self._all(source, test, values)
            case cst.Name():
                return self._all(source, test, list(_bound(source, test)))
            case _:
                return False

    def refuses_cuda(self, source: Source, test: cst.BaseExpression) -> bool:
        """Whether a test is false only where there is CUDA."""
        match test:
            case cst.UnaryOperation(operator=cst.Not()):
                return self.needs_cuda(source, test.expression)
            case cst.BooleanOperation(operator=cst.Or()):
                return self.refuses_cuda(source, test.left) or self.refuses_cuda(source, test.right)
            case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=cst.Equal(), comparator=other)]):
                return _CPU in (text_of(test.left), text_of(other))
            case _:
                return False

    def _all(
        self, source: Source, name: cst.BaseExpression, values: list[tuple[Source, cst.BaseExpression]]
    ) -> bool:
        """Whether a name is true only with CUDA, according to all its assignments."""
        key = (source, source.code(name))
        if key not in self._asked:
            self._asked[key] = False  # a flag that is computed from itself shows nothing
            self._asked[key] = (
                bool(values)
                and all(_is_false(value) or self.needs_cuda(where, value) for where, value in values)
                and not all(_is_false(value) for _, value in values)
            )
        return self._asked[key]


def _is_false(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Name) and value.value in ("False", "None")


def _compares_with_cuda(source: Source, test: cst.Comparison) -> bool:
    """`device.type == "cuda"`, `"cuda" in str(device)`, `torch.cuda.device_count() > 0`."""
    if len(test.comparisons) != 1:
        return False
    operator, right = test.comparisons[0].operator, test.comparisons[0].comparator
    match operator:
        case cst.Equal():
            return _CUDA in (text_of(test.left).partition(":")[0], text_of(right).partition(":")[0])
        case cst.In():
            return text_of(test.left) == _CUDA
        case cst.NotEqual():
            return _CPU in (text_of(test.left), text_of(right))
        case cst.GreaterThan() | cst.GreaterThanEqual():
            counts = isinstance(test.left, cst.Call) and (
                source.imported(test.left.func) == "torch.cuda.device_count"
            )
            least = isinstance(operator, cst.GreaterThanEqual)
            return counts and isinstance(right, cst.Integer) and int(right.evaluated_value) >= least
        case _:
            return False


def _bound(source: Source, name: cst.Name) -> Iterator[tuple[Source, cst.BaseExpression]]:
    """The values assigned to a name, in the innermost frame that assigns it."""
    for frame in source.frames(name):
        if isinstance(frame, cst.ClassDef):
            continue
        if not isinstance(frame, cst.Module) and any(
            each.name.value == name.value for each in parameters(frame)
        ):
            return
        values = source.assigned(frame).get(name.value, ())
        if values:
            yield from ((source, value) for value in values)
            return
