"""Lowering of strings with several parts: f-strings, template strings, adjacent literals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import libcst as cst

from devlint.model import SiteId
from devlint.source import ir
from devlint.source.lowering.literals import joined, string_value, unescape, unify_newlines
from devlint.source.lowering.numbering import UnknownSyntaxError

Lower: TypeAlias = Callable[[cst.BaseExpression], ir.Expression]
"""Lowers an expression within a string."""
_WRITER = cst.Module([])


def formatted(node: cst.FormattedString, site: SiteId, lower: Lower) -> ir.Constant | ir.Format:
    """An f-string; a constant if it has no fields."""
    raw = "r" in node.prefix
    parts: list[str | bytes | ir.Expression] = []
    for content in node.parts:
        if isinstance(content, cst.FormattedStringText):
            text = unify_newlines(content.value).replace("{{", "{").replace("}}", "}")
            parts.append(text if raw else unescape(text))
        else:
            if isinstance(content, cst.FormattedStringExpression) and content.equal is not None:
                parts.append(_naming(content, content.equal))
            parts += _fields([content], lower)
    return joined(site, parts)


def _naming(field: cst.FormattedStringExpression, equal: cst.AssignEqual) -> str:
    """The text that `{x = }` adds before the value."""
    parts = (field.whitespace_before_expression, field.expression, equal)
    return "".join(_WRITER.code_for_node(part) for part in parts)


def template(node: cst.TemplatedString, site: SiteId, lower: Lower) -> ir.Sequence:
    """A template string, which keeps its values without formatting them."""
    return ir.Sequence(site, ir.Shape.TUPLE, _fields(node.parts, lower))


def concatenated(node: cst.ConcatenatedString, site: SiteId, lower: Lower) -> ir.Constant | ir.Format:
    """Adjacent literals, which Python joins."""
    strings: list[cst.BaseExpression] = []
    rest: cst.BaseExpression = node
    while isinstance(rest, cst.ConcatenatedString):
        strings.append(rest.left)
        rest = rest.right
    strings.append(rest)
    parts: list[str | bytes | ir.Expression] = []
    for string in strings:
        if isinstance(string, cst.SimpleString):
            parts.append(string_value(string.value))
        elif isinstance(string, cst.FormattedString):
            part = formatted(string, site, lower)
            parts += part.parts if isinstance(part, ir.Format) else (str(part.value),)
        # Python joins template strings with nothing else.
    return joined(site, parts)


def _fields(
    contents: Sequence[cst.BaseFormattedStringContent | cst.BaseTemplatedStringContent], lower: Lower
) -> tuple[ir.Expression, ...]:
    """The expressions in replacement fields, and those in their formats."""
    fields: list[ir.Expression] = []
    for content in contents:
        if isinstance(content, (cst.FormattedStringExpression, cst.TemplatedStringExpression)):
            fields.append(lower(content.expression))
            fields += _fields(content.format_spec or (), lower)
        elif not isinstance(content, (cst.FormattedStringText, cst.TemplatedStringText)):
            raise UnknownSyntaxError(content, f"no meaning is known for {type(content).__name__}")
    return tuple(fields)
