"""The lines of a file that are executed periodically: in `if step % n`, or after such a `continue`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence


def periodic_lines(text: str) -> frozenset[int]:
    """The lines that a test with `%` decides about, within their function."""
    return frozenset(_in_block(ast.parse(text).body, below=False))


def _in_block(block: Sequence[ast.stmt], *, below: bool) -> Iterator[int]:
    for statement in block:
        if below:
            yield from range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
            continue
        if not isinstance(statement, ast.If):
            for inner in _blocks(statement):
                yield from _in_block(inner, below=False)
            continue
        decides = _has_modulo(statement.test)
        yield from _in_block(statement.body, below=decides)
        yield from _in_block(statement.orelse, below=False)
        below = decides and isinstance(statement.body[-1], ast.Continue | ast.Return)


def _blocks(statement: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        if block := getattr(statement, name, None):
            yield block
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def _has_modulo(test: ast.expr) -> bool:
    """Whether an expression is the remainder of a number; `"%d" % n` is not."""
    return any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mod)
        and not isinstance(node.left, ast.Constant)
        for node in ast.walk(test)
    )
