"""Where syntax nodes stand in the text that LibCST writes.

LibCST's trees hold no positions. Its providers find those of all nodes by writing the tree out again, and by
visiting it besides, at more than the cost of a parse. Here the tree is written once, in the way of these
providers, and only up to the last node that is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import TypeVar

import libcst as cst
from libcst._nodes.internal import CodegenState

from devlint.model.collection import no_collection
from devlint.model.lines import Lines
from devlint.source.edits import Extent
from devlint.source.stack import on_deep_stack, recursion_limit

RECURSION_LIMIT = 100_000
"""For code whose tree is too deep for Python's usual limit: writing takes about four frames a level."""

Result = TypeVar("Result")


class Written:
    """What LibCST writes of a module, up to the last node that is wanted, and where the nodes stand in it."""

    def __init__(self, module: cst.Module, wanted: Collection[cst.CSTNode]) -> None:
        writing = _Writing(module, wanted)
        with suppress(_AllWritten):
            module._codegen(writing)
        # The last line of a file need not end, but LibCST ends each statement.
        self.code = "".join(writing.tokens).rstrip("\r\n")
        self._places = writing.places

    def extent(self, node: cst.CSTNode) -> Extent:
        """Where a node stands, in characters: an expression without its own parentheses.

        Raises:
            KeyError: it ends behind all nodes that were wanted.
        """
        return Extent(*self._places[node])


class _AllWritten(Exception):  # noqa: N818  # nothing is wrong
    """All nodes that are wanted are written."""


class _Writing(CodegenState):
    """Notes where each node stands that is written."""

    def __init__(self, module: cst.Module, wanted: Collection[cst.CSTNode]) -> None:
        super().__init__(module.default_indent, module.default_newline)
        self.places: dict[cst.CSTNode, tuple[int, int]] = {}
        self.position = 0
        self._begun: list[int] = []
        self._wanted = set(wanted)

    def add_indent_tokens(self) -> None:
        super().add_indent_tokens()
        self.position += sum(map(len, self.indent_tokens))

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self.position += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:  # noqa: ARG002
        self._begun.append(self.position)

    def after_codegen(self, node: cst.CSTNode) -> None:
        begun = self._begun.pop()
        if node not in self.places:
            self.places[node] = (begun, self.position)
        if node in self._wanted:
            self._wanted.remove(node)
            if not self._wanted:
                raise _AllWritten

    def record_syntactic_position(  # type: ignore[override]  # LibCST makes one of a generator
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> AbstractContextManager[None]:
        return _Recording(self, node, start_node, end_node)


class _Recording:
    """Notes where a node stands without what is around it, such as its parentheses."""

    __slots__ = ("_begun", "_end", "_node", "_start", "_writing")

    def __init__(
        self, writing: _Writing, node: cst.CSTNode, start: cst.CSTNode | None, end: cst.CSTNode | None
    ) -> None:
        self._writing = writing
        self._node = node
        self._start = start
        self._end = end

    def __enter__(self) -> None:
        self._begun = self._writing.position

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            places = self._writing.places
            start = self._begun if self._start is None else places[self._start][0]
            end = self._writing.position if self._end is None else places[self._end][1]
            places[self._node] = (start, end)


def measure(module: cst.Module, wanted: Collection[cst.CSTNode]) -> Written:
    """Find where some nodes of a module stand, and those before them.

    Raises:
        RecursionError: the tree is too deep even for a deep stack.
    """
    return _deep_if_needed(lambda: Written(module, wanted))


def line_and_column(module: cst.Module, node: cst.CSTNode) -> tuple[int, int]:
    """Where a node begins in what LibCST writes, from 1.

    Raises:
        RecursionError: the tree is too deep even for a deep stack.
    """
    written = measure(module, (node,))
    start = written.extent(node).start
    return Lines(written.code).position(start)


def _deep_if_needed(work: Callable[[], Result]) -> Result:
    with no_collection():
        try:
            return work()
        except RecursionError:
            with recursion_limit(RECURSION_LIMIT):
                return on_deep_stack(work)
