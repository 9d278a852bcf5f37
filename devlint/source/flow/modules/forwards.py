"""What the `forward` of a project's class does with its inputs, as its text shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from devlint.source import ir
from devlint.source.flow.functions.summaries import bind_arguments
from devlint.source.flow.state.class_info import ClassInfo
from devlint.source.flow.state.frame import Passed
from devlint.source.flow.syntax.movers import UPLOADERS
from devlint.source.walk import path, walk


def moves_state_in_forward(info: ClassInfo) -> bool:
    """Whether a module follows its input: `self.kernel.to(x.device)` in its `forward`."""
    return any(name.startswith("self.") for name in _moved_in_forward(info))


def inputs_that_have_to_be_there(info: ClassInfo | None, passed: Sequence[Passed]) -> list[Passed]:
    """The arguments of a call of a module that have to lie where its parameters do, as far as is known.

    None of them, where a forward brings an input there itself: what it does is followed. Not those by which
    it indexes and no more: torch takes an index from the host.
    """
    found = info.method("forward") if info is not None else None
    if info is None or found is None:
        return list(passed)
    forward, _ = found
    names = {parameter.name for parameter in forward.parameters}
    if not names.isdisjoint(_moved_in_forward(info)):
        return []
    arguments = bind_arguments(forward.parameters, passed, skip_first=True)
    indices = [arguments[name] for name in _indexing_inputs(info, forward) if name in arguments]
    return [argument for argument in passed if argument not in indices]


def _moved_in_forward(info: ClassInfo) -> frozenset[str]:
    """What the forward of a class moves. It is looked for once a class."""
    if info.moved_in_forward is None:
        found = info.method("forward")
        info.moved_in_forward = frozenset(_moved_by(found[0].body) if found is not None else ())
    return info.moved_in_forward


def _moved_by(body: ir.Block) -> Iterator[str]:
    for node in walk(body):
        match node:
            case ir.Call(function=ir.Attribute(value=moved, name=name)) if name in _BROUGHT_BY:
                yield path(moved)


_BROUGHT_BY = UPLOADERS | {"type_as"}


def _indexing_inputs(info: ClassInfo, forward: ir.Function) -> frozenset[str]:
    """By which names the forward of a class only indexes. They are looked for once a class."""
    if info.indexing_inputs is None:
        info.indexing_inputs = frozenset(_only_indices(forward))
    return info.indexing_inputs


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
