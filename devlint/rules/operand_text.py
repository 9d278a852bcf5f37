"""Properties of an operand's text, and the edits that fit it."""

from __future__ import annotations

import ast

from devlint.model import Action, Applicability, EditRequest, FixRequest, Operand
from devlint.model.syntax import expression_tree


def is_path(text: str) -> bool:
    """Whether the text is a name or an attribute path: `x`, `self.mask`."""
    return all(part.isidentifier() for part in text.split("."))


def is_place(text: str) -> bool:
    """Whether the text names a stored value: a path, or an element such as `batch["x"]`.

    A slice is a new value each time.
    """
    node = _parsed(text)
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def is_primary(text: str) -> bool:
    """Whether an attribute can follow the text without parentheses: a path, a call, an element."""
    return isinstance(_parsed(text), ast.Name | ast.Attribute | ast.Call | ast.Subscript)


def copy_to_host(operand: Operand, copy: str = ".cpu()") -> FixRequest | None:
    """`x` becomes `x.cpu()`, which is `x` itself if it is on the CPU. None for compound expressions."""
    if not is_primary(operand.path):
        return None
    edit = EditRequest(operand.site, Action.INSERT_AFTER, copy)
    return FixRequest(f"Copy `{operand.path}` to the host", Applicability.SAFE, (edit,))


def _parsed(text: str) -> ast.expr | None:
    try:
        return expression_tree(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
