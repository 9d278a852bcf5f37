"""Python's own parser, safe to be called from several threads at once.

CPython 3.11 and 3.12 count in one place, for all threads, how deep they are in the tree that they build. A
garbage collection meanwhile may let another thread build one too, and `compile` then fails with a
`SystemError` ("AST constructor recursion depth mismatch") though nothing is wrong with the text
(https://github.com/python/cpython/issues/106905). So nothing is collected meanwhile. That, and the filters of
warnings, are the process's, which is why there is a lock.
"""

from __future__ import annotations

import os
import warnings
from _thread import RLock  # `threading` takes longer to import than most texts to parse
from typing import TYPE_CHECKING, Any

from devlint.model.collection import no_collection

if TYPE_CHECKING:
    import ast

ONLY_AST = 0x400
"""`ast.PyCF_ONLY_AST`, by which `compile` is `ast.parse`; importing `ast` takes longer than most parses."""

_lock = RLock()  # a destructor or a signal handler may parse something itself
if hasattr(os, "register_at_fork"):
    # No child gets a lock that a thread holds which the child has not.
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def module_tree(text: str) -> ast.Module:
    """The tree of a whole module. Nothing is warned of.

    Raises:
        SyntaxError: it is no Python.
        ValueError: it holds a lone surrogate, or, before Python 3.12, a null character.
        RecursionError: it is nested deeper than Python's parser allows.
    """
    tree: ast.Module = _tree(text, "exec")
    return tree


def is_program(data: bytes) -> bool:
    """Whether Python takes the bytes of a file for a program when it imports it."""
    try:
        _tree(data, "exec")
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def expression_tree(text: str) -> ast.expr:
    """The tree of one expression. Nothing is warned of.

    Raises:
        SyntaxError: it is no expression.
        ValueError: it holds a lone surrogate, or, before Python 3.12, a null character.
        RecursionError: it is nested deeper than Python's parser allows.
    """
    tree: ast.Expression = _tree(text, "eval")
    return tree.body


def _tree(text: str | bytes, mode: str) -> Any:
    with _lock, warnings.catch_warnings(), no_collection():
        warnings.simplefilter("ignore")
        try:
            return compile(text, "<unknown>", mode, ONLY_AST, dont_inherit=True)
        except MemoryError:  # the parser's way to say that its stack is full
            raise RecursionError from None
