"""Adding arguments and parameters to code, in the layout of the code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import libcst as cst

_NOTHING = cst.SimpleWhitespace("")
_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def keyword(name: str, value: cst.BaseExpression) -> cst.Arg:
    """`name=value`."""
    equal = cst.AssignEqual(whitespace_before=_NOTHING, whitespace_after=_NOTHING)
    return cst.Arg(value, keyword=cst.Name(name), equal=equal)


def in_list(args: Sequence[cst.Arg]) -> list[cst.Arg]:
    """Arguments with commas between them, and none after the last."""
    separated = [
        arg if isinstance(arg.comma, cst.Comma) else arg.with_changes(comma=_COMMA) for arg in args[:-1]
    ]
    return [*separated, *(arg.with_changes(comma=cst.MaybeSentinel.DEFAULT) for arg in args[-1:])]


class _End(NamedTuple):
    """The text after the last item of a list."""

    comma: cst.Comma | cst.MaybeSentinel
    space: cst.BaseParenthesizableWhitespace
    """The space between the item and the comma, if there is one."""

    def followed(self, style: cst.BaseParenthesizableWhitespace) -> tuple[_End, _End]:
        """The ends of the last item and of a new item after it, on separate lines if the list has lines. A
        comment stays with its item."""
        comma = self.comma if isinstance(self.comma, cst.Comma) else None
        last = comma.whitespace_after if comma is not None else self.space
        if not isinstance(last, cst.ParenthesizedWhitespace):
            return _End(_COMMA, _NOTHING), self
        bare = last.first_line.with_changes(whitespace=_NOTHING, comment=None)
        indented = style if isinstance(style, cst.ParenthesizedWhitespace) else last
        between = last.with_changes(indent=indented.indent, last_line=indented.last_line)
        behind = last.with_changes(first_line=bare, empty_lines=[])
        if comma is None:
            return _End(cst.Comma(whitespace_after=between), _NOTHING), _End(self.comma, behind)
        return _End(comma.with_changes(whitespace_after=between), self.space), _End(
            comma.with_changes(whitespace_after=behind), _NOTHING
        )


def _style(
    others: Sequence[cst.Arg | cst.Param], opening: cst.BaseParenthesizableWhitespace
) -> cst.BaseParenthesizableWhitespace:
    """The space before the last item of a list."""
    comma = others[-1].comma if others else None
    return comma.whitespace_after if isinstance(comma, cst.Comma) else opening


def with_argument(call: cst.Call, new: cst.Arg) -> cst.Call:
    """A call with one more argument at its end."""
    if not call.args:
        return call.with_changes(args=[new])
    *others, last = call.args
    if isinstance(last.value, cst.GeneratorExp) and not last.value.lpar:
        value = last.value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        last = last.with_changes(value=value)
    end = _End(last.comma, last.whitespace_after_arg)
    before, behind = end.followed(_style(others, call.whitespace_before_args))
    last = last.with_changes(comma=before.comma, whitespace_after_arg=before.space)
    new = new.with_changes(comma=behind.comma, whitespace_after_arg=behind.space)
    return call.with_changes(args=[*others, last, new])


def with_parameter(
    parameters: cst.Parameters, name: str, opening: cst.BaseParenthesizableWhitespace
) -> cst.Parameters:
    """The parameters with a new keyword-only one; `opening` is the space before the first."""
    new = cst.Param(cst.Name(name))
    star: cst.Param | cst.ParamStar = cst.ParamStar(comma=_COMMA)
    if isinstance(parameters.star_arg, (cst.Param, cst.ParamStar)):
        star = parameters.star_arg
    if parameters.star_kwarg is not None:
        new = new.with_changes(comma=_COMMA)
        return parameters.with_changes(star_arg=star, kwonly_params=[*parameters.kwonly_params, new])
    if parameters.kwonly_params:
        *others, last = parameters.kwonly_params
        last, new = _followed(last, new, _style(others, opening))
        return parameters.with_changes(kwonly_params=[*others, last, new])
    if isinstance(star, cst.Param):
        last, new = _followed(star, new, _style(parameters.params, opening))
        return parameters.with_changes(star_arg=last, kwonly_params=[new])
    if parameters.params:
        *others, last = parameters.params
        last, new = _followed(last, new, _style(others, opening))
        return parameters.with_changes(params=[*others, last], star_arg=star, kwonly_params=[new])
    return parameters.with_changes(star_arg=star, kwonly_params=[new])


def _followed(
    last: cst.Param, new: cst.Param, style: cst.BaseParenthesizableWhitespace
) -> tuple[cst.Param, cst.Param]:
    """The last parameter, followed by a new one that ends the list in the same way."""
    before, behind = _End(last.comma, last.whitespace_after_param).followed(style)
    return (
        last.with_changes(comma=before.comma, whitespace_after_param=before.space),
        new.with_changes(comma=behind.comma, whitespace_after_param=behind.space),
    )
