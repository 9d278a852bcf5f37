"""Where syntax nodes stand in the text that LibCST writes.

LibCST's trees hold no positions. Its provider finds those of all nodes by writing the tree out again, at more
than the cost of a parse; writing alone takes a third of one. So all is written once, up to the last node that
is wanted, and the provider is given only the statements that wanted nodes are in.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper, PositionProvider

from devlint.model.collection import no_collection
from devlint.source.edits import Extent
from devlint.source.stack import on_deep_stack, recursion_limit

RECURSION_LIMIT = 100_000
"""For code whose tree is too deep for Python's usual limit: writing takes about four frames a level."""

Path: TypeAlias = tuple[int, ...]
"""Which statement a node is in: its place in the module's body; then, if it is in the body of a function or
class, its place in that; and so on. A path that ends at a function or class is about what comes before its
body."""
Result = TypeVar("Result")


class Written:
    """What LibCST writes of a module, up to the last statement that is wanted, and where the nodes of those
    that are wanted stand in it."""

    def __init__(self, module: cst.Module, paths: Collection[Path]) -> None:
        self._module = module
        self._codes: list[str] = []
        self._length = 0
        self._measured: list[_Measured] = []
        self._measured_bytes = 0
        for line in module.header:
            self._write(module.code_for_node(line))
        self._add_all(module.body[: max(paths)[0] + 1], (), paths)
        # The last line of a file need not end, but LibCST ends each statement.
        self.code = "".join(self._codes).rstrip("\r\n")
        statements: list[Any] = [each.statement for each in self._measured]
        measured = cst.Module(
            statements, default_indent=module.default_indent, default_newline=module.default_newline
        )
        self._spans = MetadataWrapper(measured, unsafe_skip_copy=True).resolve(ByteSpanPositionProvider)

    def extent(self, node: cst.CSTNode) -> Extent:
        """Where a node stands, in characters: an expression without its own parentheses.

        Raises:
            KeyError: it is in no statement that was measured.
        """
        span = self._spans[node]
        measured = self._measured[bisect_right(self._measured, span.start, key=_first_byte) - 1]
        start = span.start - measured.first_byte
        return Extent(measured.offset(start), measured.offset(start + span.length))

    def _add_all(
        self,
        statements: Sequence[cst.BaseStatement],
        around: Sequence[cst.IndentedBlock],
        paths: Collection[Path],
    ) -> None:
        """Write the statements of a body that is in some blocks, and note which ones are to be measured."""
        head = self._length_of_head(around)
        wanted = _by_place(paths)
        for number, statement in enumerate(statements):
            inside = wanted.get(number, ())
            if inside and isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
                self._add_parts(statement, around, head, inside)
            else:
                self._add(_within(around, statement), head, measured=bool(inside))

    def _add_parts(
        self,
        node: cst.FunctionDef | cst.ClassDef,
        around: Sequence[cst.IndentedBlock],
        head: int,
        paths: Collection[Path],
    ) -> None:
        block = node.body
        if not isinstance(block, cst.IndentedBlock):
            self._add(_within(around, node), head, measured=True)
            return
        empty = _within(around, node.with_changes(body=block.with_changes(body=(), footer=())))
        without_footer = self._module.code_for_node(empty)
        filled_in = self._length_of_pass((*around, block))
        if () in paths:
            self._measure(empty, without_footer, self._length - head)
        self._write(without_footer[head : len(without_footer) - filled_in])
        self._add_all(block.body, (*around, block), [path for path in paths if path])
        if block.footer:
            closed = _within(around, node.with_changes(body=block.with_changes(body=())))
            self._write(self._module.code_for_node(closed)[len(without_footer) :])

    def _add(self, statement: cst.BaseStatement, head: int, *, measured: bool) -> None:
        code = self._module.code_for_node(statement)
        if measured:
            self._measure(statement, code, self._length - head)
        self._write(code[head:])

    def _measure(self, statement: cst.BaseStatement, code: str, start: int) -> None:
        self._measured.append(_Measured(statement, code, start, self._measured_bytes))
        self._measured_bytes += len(code) if code.isascii() else len(code.encode())

    def _write(self, code: str) -> None:
        self._codes.append(code)
        self._length += len(code)

    def _length_of_head(self, around: Sequence[cst.IndentedBlock]) -> int:
        """What `_within` puts before a statement."""
        if not around:
            return 0
        *outer, block = around
        empty = self._module.code_for_node(_within(outer, _standing_for(block, ())))
        return len(empty) - self._length_of_pass(around)

    def _length_of_pass(self, around: Sequence[cst.IndentedBlock]) -> int:
        """What LibCST writes into a block that is empty."""
        module = self._module
        indent = sum(len(module.default_indent if block.indent is None else block.indent) for block in around)
        return indent + len(f"pass{module.default_newline}")


class _Measured(NamedTuple):
    """A statement that the provider is given."""

    statement: cst.BaseStatement
    code: str
    start: int
    """Where it would begin in what is written, in characters, with what `_within` puts before it."""
    first_byte: int
    """Where it begins among all that the provider is given, in bytes of UTF-8."""

    def offset(self, byte: int) -> int:
        """From bytes within the statement to characters in all that is written."""
        code = self.code
        return self.start + (byte if code.isascii() else len(code.encode()[:byte].decode()))


def _first_byte(measured: _Measured) -> int:
    return measured.first_byte


def _by_place(paths: Collection[Path]) -> dict[int, list[Path]]:
    """The rest of each path, by the place in a body with which it begins."""
    found: defaultdict[int, list[Path]] = defaultdict(list)
    for first, *rest in paths:
        found[first].append(tuple(rest))
    return found


def _within(around: Sequence[cst.IndentedBlock], statement: cst.BaseStatement) -> cst.BaseStatement:
    """A statement alone, as deep as it is in its blocks: each stands below a short line of its own."""
    for block in reversed(around):
        statement = _standing_for(block, (statement,))
    return statement


def _standing_for(block: cst.IndentedBlock, body: Sequence[cst.BaseStatement]) -> cst.If:
    return cst.If(cst.Name("_"), block.with_changes(body=body, footer=()))


def measure(module: cst.Module, paths: Collection[Path]) -> Written:
    """Find where the nodes of some statements of a module stand.

    Raises:
        RecursionError: the tree is too deep even for a deep stack.
    """
    return _deep_if_needed(lambda: Written(module, paths))


def line_and_column(module: cst.Module, node: cst.CSTNode) -> tuple[int, int]:
    """Where a node begins in what LibCST writes, from 1.

    Raises:
        RecursionError: the tree is too deep even for a deep stack.
    """
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    start = _deep_if_needed(lambda: wrapper.resolve(PositionProvider)[node].start)
    return start.line, start.column + 1


def _deep_if_needed(work: Callable[[], Result]) -> Result:
    with no_collection():
        try:
            return work()
        except RecursionError:
            with recursion_limit(RECURSION_LIMIT):
                return on_deep_stack(work)
