"""Python's own parser, made safe for several threads.

CPython 3.11 and 3.12 have one counter for the recursion depth of AST construction in all threads. A garbage
collection may let another thread build a tree meanwhile, and `compile` then fails with a `SystemError` ("AST
constructor recursion depth mismatch") although the text is correct
(https://github.com/python/cpython/issues/106905). Therefore garbage collection is paused. This and the
warning filters concern the whole process, so there is a lock.
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

_lock = RLock()  # a destructor or a signal handler may also parse
if hasattr(os, "register_at_fork"):
    # A forked child must not inherit a lock that a thread of the parent holds.
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
    """Whether Python can import a file with these bytes."""
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
        except MemoryError:  # raised by the parser if its stack is full
            raise RecursionError from None
