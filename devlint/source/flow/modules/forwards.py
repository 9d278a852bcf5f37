"""What the `forward` of a project's class does with its inputs, as its text shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from devlint.source import ir
from devlint.source.flow.functions.summaries import bind_arguments
from devlint.source.flow.state.class_info import ClassInfo
from devlint.source.flow.state.frame import Passed
from devlint.source.flow.syntax.decorators import changes_nothing
from devlint.source.flow.syntax.movers import UPLOADERS
from devlint.source.walk import path, walk


def moves_state_in_forward(info: ClassInfo) -> bool:
    """Whether a module follows its input: `self.kernel.to(x.device)` in its `forward`."""
    return any(name.startswith("self.") for name in _moved_in_forward(info))


def inputs_that_have_to_be_there(info: ClassInfo | None, passed: Sequence[Passed]) -> list[Passed]:
    """The arguments of a call of a module that have to lie where its parameters do, as far as is known.

    None of them, where a forward brings an input there itself: what it does is followed; nor where something
    of the project stands before it, a decorator or a `__call__`, that may do so. Not those by which it
    indexes and no more: torch takes an index from the host.
    """
    found = info.method("forward") if info is not None else None
    if info is None or found is None:
        return list(passed)
    forward, _ = found
    if info.method("__call__") is not None or not all(map(changes_nothing, forward.decorators)):
        return []
    names = {parameter.name for parameter in forward.parameters}
    if not names.isdisjoint(_moved_in_forward(info)):
        return []
    arguments = bind_arguments(forward.parameters, passed, skip_first=True)
    elsewhere = [arguments[name] for name in _inputs_from_anywhere(info, forward) if name in arguments]
    return [argument for argument in passed if argument not in elsewhere]


def _moved_in_forward(info: ClassInfo) -> frozenset[str]:
    """What the forward of a class moves. It is looked for once a class."""
    if info.moved_in_forward is None:
        found = info.method("forward")
        info.moved_in_forward = frozenset(_moved_from(info, found[0]) if found is not None else ())
    return info.moved_in_forward


def _moved_from(info: ClassInfo, forward: ir.Function) -> Iterator[str]:
    """What a forward moves, or hands to a method of its class that moves something."""
    yield from _moved_by(forward.body)
    for node in walk(forward.body):
        match node:
            case ir.Call(function=ir.Attribute(value=ir.Name(name="self"), name=name), arguments=arguments):
                called = info.method(name)
                if called is not None and any(_moved_by(called[0].body)):
                    yield from (path(argument.value) for argument in arguments)


def _moved_by(body: ir.Block) -> Iterator[str]:
    """What a body moves: `x.to(d)`, and each of `x` and `y` in `[t.to(d) for t in (x, y)]`."""
    for node in walk(body):
        match node:
            case ir.Call(function=ir.Attribute(value=moved, name=name)) if name in _BROUGHT_BY:
                yield path(moved)
            case ir.Comprehension(element=element, loops=loops) if _has_move(element):
                for loop in loops:
                    yield from (each.name for each in walk([loop.iterable]) if isinstance(each, ir.Name))


def _has_move(expression: ir.Expression) -> bool:
    return any(
        isinstance(node, ir.Call)
        and isinstance(node.function, ir.Attribute)
        and node.function.name in _BROUGHT_BY
        for node in walk([expression])
    )


_BROUGHT_BY = UPLOADERS | {"type_as"}


def _inputs_from_anywhere(info: ClassInfo, forward: ir.Function) -> frozenset[str]:
    """The names by which a forward only indexes, or which it reads on the host. They are looked for once a
    class."""
    if info.inputs_from_anywhere is None:
        info.inputs_from_anywhere = frozenset((*_only_indices(forward), *_read_on_the_host(forward)))
    return info.inputs_from_anywhere


def _read_on_the_host(forward: ir.Function) -> Iterator[str]:
    """The names that a forward reads as numbers, or gives where torch wants them on the host."""
    for node in walk(forward.body, into_scopes=True):
        match node:
            case ir.Call(function=ir.Attribute(value=ir.Name(name=name), name=method)) if method in _READERS:
                yield name
            case ir.Call(function=ir.Name(name=reader), arguments=(ir.Argument(value=value),)) if (
                reader in _NUMBERS
            ):
                yield from (each.name for each in walk([value]) if isinstance(each, ir.Name))
            case ir.Call(function=function, arguments=arguments) if path(function).endswith(_PACKING):
                yield from (path(argument.value) for argument in arguments[1:])


_READERS = frozenset({"tolist", "item", "numpy", "cpu"})
_NUMBERS = frozenset({"int", "float", "bool"})
_PACKING = "pack_padded_sequence"
"""Its lengths have to be on the host (aten/src/ATen/native/PackedSequence.cpp)."""


def _only_indices(forward: ir.Function) -> Iterator[str]:
    """The names that a forward uses to index something, and otherwise asks for no more than their shape."""
    uses, indexing, asking = Counter[str](), Counter[str](), Counter[str]()
    for node in walk(forward.body, into_scopes=True):
        match node:
            case ir.Name(name=name):
                uses[name] += 1
            case ir.Subscript(indices=indices):
                indexing.update(index.name for index in indices if isinstance(index, ir.Name))
            case ir.Attribute(value=ir.Name(name=name), name=asked) if asked in _METADATA:
                asking[name] += 1
    return (name for name, count in indexing.items() if uses[name] == count + asking[name])


_METADATA = frozenset({"shape", "size", "dim", "ndim", "numel", "dtype", "device"})
"""What a tensor says of itself without its values."""
