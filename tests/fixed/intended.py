"""Whether two programs differ in nothing but what fixes are for, by their syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import zip_longest

ADDED = frozenset({"device", "map_location"})
"""Keywords that a fix may add to a call."""
MOVES = frozenset({"to", "cuda", "cpu", "xpu"})
"""Methods that a fix may leave out."""


def is_intended(before: ast.AST | None, after: ast.AST | None) -> bool:
    """Whether the second tree is the first one, fixed at any number of places."""
    if before is None or after is None:
        return before is after
    return any(change(before, after) for change in _CHANGES) or _same_kind(before, after)


def _same_kind(before: ast.AST, after: ast.AST) -> bool:
    return type(before) is type(after) and all(
        _same_field(getattr(before, name, None), getattr(after, name, None)) for name in before._fields
    )


def _same_field(before: object, after: object) -> bool:
    if isinstance(before, list) and isinstance(after, list):
        return all(_same_field(one, other) for one, other in zip_longest(before, after))
    if isinstance(before, ast.AST) and isinstance(after, ast.AST):
        return is_intended(before, after)
    return type(before) is type(after) and before == after


def _keyword_added(before: ast.AST, after: ast.AST) -> bool:
    """`torch.ones(3)` and `torch.ones(3, device=x.device)`."""
    if not isinstance(before, ast.Call) or not isinstance(after, ast.Call) or not after.keywords:
        return False
    *kept, added = after.keywords
    if added.arg not in ADDED or len(kept) != len(before.keywords):
        return False
    return is_intended(before, ast.Call(after.func, after.args, kept))


def _move_left_out(before: ast.AST, after: ast.AST) -> bool:
    """`torch.ones(3).to(device)` and `torch.ones(3, device=device)`."""
    match before:
        case ast.Call(func=ast.Attribute(value=receiver, attr=name)) if name in MOVES:
            return is_intended(receiver, after)
        case _:
            return False


def _copy_added(before: ast.AST, after: ast.AST) -> bool:
    """`x` and `x.cpu()`, or `x.detach().cpu()`."""
    match after:
        case ast.Call(func=ast.Attribute(value=receiver, attr="cpu"), args=[], keywords=[]):
            return is_intended(before, receiver) or _detached(before, receiver)
        case _:
            return False


def _detached(before: ast.AST, after: ast.AST) -> bool:
    """`x` and `x.detach()`."""
    match after:
        case ast.Call(func=ast.Attribute(value=receiver, attr="detach"), args=[], keywords=[]):
            return is_intended(before, receiver)
        case _:
            return False


def _type_asked(before: ast.AST, after: ast.AST) -> bool:
    """`x.device` and `x.device.type`."""
    return isinstance(after, ast.Attribute) and after.attr == "type" and is_intended(before, after.value)


def _result_kept(before: ast.AST, after: ast.AST) -> bool:
    """`x.to(device)` and `x = x.to(device)`."""
    match before, after:
        case (
            ast.Expr(value=ast.Call(func=ast.Attribute(value=moved)) as call),
            ast.Assign(targets=[target], value=kept),
        ):
            return ast.unparse(moved) == ast.unparse(target) and is_intended(call, kept)
        case _:
            return False


def _buffer_registered(before: ast.AST, after: ast.AST) -> bool:
    """`self.mask = m` and `self.register_buffer("mask", m, persistent=False)`."""
    match before, after:
        case (
            ast.Assign(targets=[target], value=set_value) | ast.AnnAssign(target=target, value=set_value),
            ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(attr="register_buffer"),
                    args=[ast.Constant(value=str(name)), value],
                    keywords=[ast.keyword(arg="persistent", value=ast.Constant(value=False))],
                )
            ),
        ):
            return ast.unparse(target) == f"self.{name}" and is_intended(set_value, value)
        case _:
            return False


_CHANGES: tuple[Callable[[ast.AST, ast.AST], bool], ...] = (
    _keyword_added,
    _move_left_out,
    _copy_added,
    _type_asked,
    _result_kept,
    _buffer_registered,
)
