"""Where syntax nodes stand, found by writing the tree out again and counting characters.

LibCST's trees hold no positions. Its metadata providers find them in the same way, but for every node, at
twice the cost of a parse; this finds them for the nodes that are asked for, and stops behind the last one.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from types import TracebackType

import libcst as cst
from libcst._nodes.internal import CodegenState

from devlint.source.stack import on_deep_stack, recursion_limit

RECURSION_LIMIT = 100_000
"""For code whose tree is too deep for Python's usual limit: writing takes about four frames a level."""

TOP_LEVEL = "<module>"


@dataclass(frozen=True, slots=True)
class Span:
    """Where a node stands, in characters from the beginning of the text; ends are exclusive."""

    start: int
    end: int
    """The node without its own parentheses and without the space around it."""
    outer_start: int
    outer_end: int
    """The node with its own parentheses. For a node that is no expression, with the space that it owns."""
    function: str
    """Qualified name of the function or class body that it stands in, or `<module>`."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The text as LibCST writes it, up to the last node that was asked for, and the spans by `id(node)`."""

    code: str
    spans: dict[int, Span]


def measure(module: cst.Module, nodes: Collection[cst.CSTNode]) -> Measured:
    """Find where nodes stand in their module. A node that is not in it has no span in the result.

    Raises:
        RecursionError: the tree is too deep even for a deep stack.
    """
    try:
        return _measure(module, nodes)
    except RecursionError:
        with recursion_limit(RECURSION_LIMIT):
            return on_deep_stack(lambda: _measure(module, nodes))


def _measure(module: cst.Module, nodes: Collection[cst.CSTNode]) -> Measured:
    state = _State(module, nodes)
    with suppress(_AllFoundError):
        module._codegen(state)
    return Measured("".join(state.tokens), state.spans)


class _AllFoundError(Exception):
    """Every node that was asked for has been written."""


class _State(CodegenState):
    """Counts what is written. Follows LibCST's `PositionProvidingCodegenState`."""

    def __init__(self, module: cst.Module, nodes: Collection[cst.CSTNode]) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.offset = 0
        self.spans: dict[int, Span] = {}
        self.syntactic: dict[int, tuple[int, int]] = {}
        self._missing = {id(node) for node in nodes}
        self._wanted = set(self._missing)
        self._starts: dict[int, tuple[int, str]] = {}
        self._bodies: dict[int, str] = {}
        self._scopes = [TOP_LEVEL]

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self.offset += len(value)

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.add_token(token)

    def before_codegen(self, node: cst.CSTNode) -> None:
        key = id(node)
        if key in self._wanted:
            self._starts[key] = (self.offset, self._scopes[-1])
        kind = type(node)
        if kind is cst.FunctionDef or kind is cst.ClassDef:
            self._note_scope(node)
        elif key in self._bodies:
            self._scopes.append(self._bodies[key])

    def after_codegen(self, node: cst.CSTNode) -> None:
        key = id(node)
        if key in self._bodies:
            self._scopes.pop()
            del self._bodies[key]
        if key in self._wanted:
            self._finish(key)

    def record_syntactic_position(  # type: ignore[override]  # any context manager will do
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> AbstractContextManager[None]:
        if id(node) not in self._wanted:
            return _UNRECORDED
        # The span begins or ends with a node that is yet to be written, so that one is wanted too.
        self._wanted.update(id(bound) for bound in (start_node, end_node) if bound is not None)
        return _Recording(self, node, start_node, end_node)

    def _note_scope(self, node: cst.CSTNode) -> None:
        assert isinstance(node, (cst.FunctionDef, cst.ClassDef))
        outer = self._scopes[-1]
        name = node.name.value
        self._bodies[id(node.body)] = name if outer == TOP_LEVEL else f"{outer}.{name}"

    def _finish(self, key: int) -> None:
        outer_start, function = self._starts[key]
        start, end = self.syntactic.setdefault(key, (outer_start, self.offset))
        self.spans[key] = Span(start, end, outer_start, self.offset, function)
        self._missing.discard(key)
        if not self._missing:
            raise _AllFoundError


class _Recording(AbstractContextManager[None]):
    """Notes where the text of a node begins and ends, within its parentheses."""

    __slots__ = ("_end_node", "_node", "_start", "_start_node", "_state")

    def __init__(
        self,
        state: _State,
        node: cst.CSTNode,
        start_node: cst.CSTNode | None,
        end_node: cst.CSTNode | None,
    ) -> None:
        self._state = state
        self._node = node
        self._start_node = start_node
        self._end_node = end_node

    def __enter__(self) -> None:
        self._start = self._state.offset

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            return
        known = self._state.syntactic
        start = self._start if self._start_node is None else known[id(self._start_node)][0]
        end = self._state.offset if self._end_node is None else known[id(self._end_node)][1]
        known[id(self._node)] = (start, end)


_UNRECORDED = nullcontext()
