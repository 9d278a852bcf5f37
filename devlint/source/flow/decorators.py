"""What decorators make of functions."""

from __future__ import annotations

import re

from devlint.source import ir
from devlint.source.walk import path

_TRANSPARENT = re.compile(
    r"(torch\.)?(no_grad|inference_mode|compile|jit\.\w+|enable_grad)$|staticmethod|classmethod|property|cached_property"
    r"|(functools\.)?(lru_cache|cache|wraps|cached_property)$|abstractmethod|abc\.\w+|override|typing\.\w+|\w+\.setter"
)
"""Decorators that leave alone what a function returns."""


def may_be_replaced(node: ir.Function) -> bool:
    """Whether a decorator may return something else than the function does."""
    for decorator in node.decorators:
        name = path(decorator.function if isinstance(decorator, ir.Call) else decorator)
        if not _TRANSPARENT.match(name):
            return True
    return False


def is_static(node: ir.Function) -> bool:
    """Whether a method takes no receiver."""
    return any(path(decorator) == "staticmethod" for decorator in node.decorators)
