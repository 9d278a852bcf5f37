"""Arguments and parameters that are added to code, in the way in which it is laid out."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

_SPACE = cst.SimpleWhitespace(" ")


def keyword(name: str, value: cst.BaseExpression) -> cst.Arg:
    """`name=value`."""
    none = cst.SimpleWhitespace("")
    equal = cst.AssignEqual(whitespace_before=none, whitespace_after=none)
    return cst.Arg(value, keyword=cst.Name(name), equal=equal)


def with_argument(call: cst.Call, new: cst.Arg) -> cst.Call:
    """A call with one more argument at its end."""
    if not call.args:
        return call.with_changes(args=[new])
    *others, last = call.args
    if _is_generator(last) and not others and not last.value.lpar:
        last = last.with_changes(
            value=last.value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        )
    new = new.with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    last = last.with_changes(comma=_between(others), whitespace_after_arg=cst.SimpleWhitespace(""))
    return call.with_changes(args=[*others, last, new])


def _is_generator(arg: cst.Arg) -> bool:
    return isinstance(arg.value, cst.GeneratorExp)


def _between(others: Sequence[cst.Arg | cst.Param]) -> cst.Comma:
    """A comma with the space that follows the last of others, without its comments."""
    if others and isinstance(others[-1].comma, cst.Comma):
        space = others[-1].comma.whitespace_after
        if isinstance(space, cst.ParenthesizedWhitespace):
            line = space.first_line.with_changes(whitespace=cst.SimpleWhitespace(""), comment=None)
            return cst.Comma(whitespace_after=space.with_changes(first_line=line, empty_lines=[]))
    return cst.Comma(whitespace_after=_SPACE)


def in_list(args: Sequence[cst.Arg]) -> list[cst.Arg]:
    """Arguments with commas between them and none behind the last."""
    comma = cst.Comma(whitespace_after=_SPACE)
    separated = [
        arg if isinstance(arg.comma, cst.Comma) else arg.with_changes(comma=comma) for arg in args[:-1]
    ]
    return [*separated, *(arg.with_changes(comma=cst.MaybeSentinel.DEFAULT) for arg in args[-1:])]


def with_parameter(parameters: cst.Parameters, name: str) -> cst.Parameters:
    """Parameters with one more that has to be passed by its name."""
    new = cst.Param(cst.Name(name))
    if parameters.star_kwarg is not None:
        new = new.with_changes(comma=cst.Comma(whitespace_after=_SPACE))
        return _starred(parameters).with_changes(kwonly_params=[*parameters.kwonly_params, new])
    if parameters.kwonly_params:
        *others, last = parameters.kwonly_params
        return parameters.with_changes(kwonly_params=[*others, *_followed(last, new, others)])
    if isinstance(parameters.star_arg, cst.Param):
        last, new = _followed(parameters.star_arg, new, parameters.params)
        return parameters.with_changes(star_arg=last, kwonly_params=[new])
    star = cst.ParamStar(comma=cst.Comma(whitespace_after=_SPACE))
    if not parameters.params:
        if not parameters.posonly_params:
            return parameters.with_changes(star_arg=star, kwonly_params=[new])
        return parameters.with_changes(star_arg=star, kwonly_params=[new])
    *others, last = parameters.params
    last, new = _followed(last, new, others)
    return parameters.with_changes(params=[*others, last], star_arg=star, kwonly_params=[new])


def _starred(parameters: cst.Parameters) -> cst.Parameters:
    """Parameters behind which some may be passed by name only."""
    if isinstance(parameters.star_arg, (cst.Param, cst.ParamStar)):
        return parameters
    return parameters.with_changes(star_arg=cst.ParamStar(comma=cst.Comma(whitespace_after=_SPACE)))


def _followed(last: cst.Param, new: cst.Param, others: Sequence[cst.Param]) -> tuple[cst.Param, cst.Param]:
    """The last parameter, followed by a new one that ends the list as the last one has ended it."""
    new = new.with_changes(comma=last.comma, whitespace_after_param=last.whitespace_after_param)
    return last.with_changes(comma=_between(others), whitespace_after_param=cst.SimpleWhitespace("")), new
