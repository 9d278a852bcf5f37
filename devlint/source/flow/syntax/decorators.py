"""What decorators make of functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from devlint.source import ir
from devlint.source.flow.state.values import FunctionValue, Value
from devlint.source.walk import Node, path, walk

_TRANSPARENT = re.compile(
    r"(torch\.)?(no_grad|inference_mode|compile|jit\.\w+|enable_grad)$|staticmethod|classmethod|property|cached_property"
    r"|(functools\.)?(lru_cache|cache|wraps|cached_property)$|override|typing\.\w+|\w+\.setter"
    r"|(contextlib\.)?(async)?contextmanager$|(torch\.)?(autocast|amp\.autocast|cuda\.amp\.\w+)$|record_function$"
    # of Transformers, Diffusers, Lightning and TorchMetrics
    r"|auto_docstring|can_return_tuple|capture_outputs|register_to_config|replace_example_docstring|apply_forward_hook"
    r"|dynamic_rope_update|add_\w*docstrings|replace_return_docstrings|deprecate_kwarg|rank_zero_only"
)
"""Decorators that leave alone what a function returns."""
_CONTEXT_MANAGERS = re.compile(r"(contextlib\.)?contextmanager$")


def changes_nothing(decorator: ir.Expression) -> bool:
    """Whether a decorator is known to give a function what it is called with, and what it returns back."""
    return bool(_TRANSPARENT.match(path(decorator.function if isinstance(decorator, ir.Call) else decorator)))


def may_be_replaced(node: ir.Function, look_up: Callable[[str], Value]) -> bool:
    """Whether a decorator may return something else than the function does; `look_up` gives the values of the
    names where the function is defined."""
    for decorator in node.decorators:
        if changes_nothing(decorator):
            continue
        name = path(decorator.function if isinstance(decorator, ir.Call) else decorator)
        value = look_up(name) if name else None
        if not isinstance(value, FunctionValue) or not _passes_on(value.function, frozenset()):
            return True
    return False


def _passes_on(function: ir.Function, around: frozenset[str]) -> bool:
    """Whether all that a decorator returns is what it was given, the result of calling that, or a function
    inside that does the same. `around` are the parameters of the functions around."""
    given = around | {parameter.name for parameter in function.parameters}
    nodes = list(walk(function.body))
    inner = {node.name: node for node in nodes if isinstance(node, ir.Function)}
    results = _assigned_once(nodes)
    returned = [node.value for node in nodes if isinstance(node, ir.Return)]
    return bool(returned) and all(
        _gives_back(value if value is None else results.get(path(value), value), inner, given)
        for value in returned
    )


def _gives_back(value: ir.Expression | None, inner: dict[str, ir.Function], given: frozenset[str]) -> bool:
    match value:
        case ir.Name(name=name) if name in inner:
            return _passes_on(inner[name], given)
        case ir.Name(name=name) | ir.Call(function=ir.Name(name=name)):
            return name in given
        case ir.Await(value=waited):
            return _gives_back(waited, inner, given)
        case _:
            return False


def _assigned_once(nodes: list[Node]) -> dict[str, ir.Expression]:
    """What is assigned to names that are assigned to once: `result = function(*args)`."""
    assigned = list(_assignments(nodes))
    names = [name for name, _ in assigned]
    return {name: value for name, value in assigned if names.count(name) == 1}


def _assignments(nodes: list[Node]) -> Iterator[tuple[str, ir.Expression]]:
    for node in nodes:
        if isinstance(node, ir.Assign):
            yield from ((target.name, node.value) for target in node.targets if isinstance(target, ir.Name))
        elif isinstance(node, ir.AugmentedAssign) and isinstance(node.target, ir.Name):
            yield from [(node.target.name, node.value)] * 2


def is_context_manager(node: ir.Function) -> bool:
    """Whether a generator is made to stand in a `with` statement."""
    return any(_CONTEXT_MANAGERS.match(path(decorator)) for decorator in node.decorators)


def is_static(node: ir.Function) -> bool:
    """Whether a method takes no receiver."""
    return any(path(decorator) == "staticmethod" for decorator in node.decorators)


def is_class_method(node: ir.Function) -> bool:
    """Whether a method takes its class."""
    return any(path(decorator) == "classmethod" for decorator in node.decorators)
