"""Annotations that are written as text: `"OrderedDict[str, Tensor]"`."""

from __future__ import annotations

import ast

from devlint.model import SiteId
from devlint.model.syntax import expression_tree
from devlint.source import ir


def unquoted(text: str, site: SiteId) -> ir.Expression | None:
    """The expression that a text spells, as far as annotations are made of such; all of it at one place."""
    try:
        tree = expression_tree(text.strip())
    except (SyntaxError, ValueError, RecursionError):
        return None
    return _lowered(tree, site)


def _lowered(node: ast.expr, site: SiteId) -> ir.Expression | None:
    match node:
        case ast.Name(id=name):
            return ir.Name(site, name)
        case ast.Attribute(value=value, attr=name):
            owner = _lowered(value, site)
            return None if owner is None else ir.Attribute(site, owner, name)
        case ast.Constant(value=None | str() as value):
            return ir.Constant(site, value)
        case ast.Constant(value=value) if value is ...:
            return ir.Dots(site)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            one, other = _lowered(left, site), _lowered(right, site)
            return None if one is None or other is None else ir.Binary(site, "or", one, other)
        case ast.Subscript(value=value, slice=inner):
            generic = _lowered(value, site)
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            indices = tuple(index for part in parts if (index := _lowered(part, site)) is not None)
            if generic is None or len(indices) < len(parts):
                return None
            return ir.Subscript(site, generic, indices)
        case _:
            return None
