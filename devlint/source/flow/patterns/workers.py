"""What runs in worker processes: data sets, collate functions, and what a program starts processes with.

A worker is forked, and a forked process cannot use the CUDA that its parent has started.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from devlint.model import Setting
from devlint.source import ir
from devlint.source.flow.functions.callgraph import CallGraph
from devlint.source.flow.state.class_info import ClassInfo
from devlint.source.flow.state.values import (
    ClassValue,
    External,
    FunctionValue,
    Home,
    Instance,
    Literal,
    Method,
    Value,
)

_DATA_SETS = re.compile(
    r"torch\.utils\.data\.(\w+\.)*\w*(Dataset|DataPipe)$"
    r"|torchvision\.datasets\.|torchaudio\.datasets\.|torch_geometric\.data\.\w*Dataset$"
)
"""Classes outside the file whose subclasses are data sets, by canonical name."""
_FETCHES = frozenset({"__getitem__", "__getitems__", "__iter__", "__next__"})
"""What a worker calls a data set for."""
BODY = -1
"""The identity of the body of a file, among those of its functions."""


class Workers:
    """Which functions of a file run in worker processes, as far as the file shows."""

    def __init__(self, home: Home, *, afresh: bool) -> None:
        """`home` is the file. `afresh`: worker processes are not forked, so that each may start CUDA by
        itself."""
        self._home = home
        self._afresh = afresh
        self._roots: dict[int, str] = {}
        self._fetching: set[int] = set()
        self._loaders: set[bool] = set()
        """Whether loaders of the file have workers, or may have."""
        self._uses: dict[Setting, int] = {}
        """Where accelerators are asked for, each with the function that does it."""
        self._aware: set[int] = set()

    def note_method(self, info: ClassInfo | None, function: ir.Function) -> None:
        """Remember what workers call on a data set."""
        if info is not None and info.is_data_set and function.name in _FETCHES:
            self._fetching.add(function.id)

    def note_loader(self, count: Value | None, given: Mapping[str, Value]) -> None:
        """Remember a data loader: how many workers it has, and the functions that it is given for them."""
        working = count is not None and count != Literal(0)
        self._loaders.add(working)
        for what, value in given.items() if working else ():
            self._add_root(value, f"the {what} of a data loader with workers")

    def note_process(self, starter: int, target: Value) -> None:
        """Remember what a function starts a process with, once CUDA is in use there."""
        if not {starter, BODY}.isdisjoint(self._uses.values()):
            self._add_root(target, "the target of a forked process")

    def note_use(self, function: int, use: Setting) -> None:
        """Remember that a function asks for an accelerator."""
        self._uses.setdefault(use, function)

    def note_question(self, function: int) -> None:
        """Remember that a function asks whether it runs in a worker, and may know what it does."""
        self._aware.add(function)

    def settings(self, calls: CallGraph) -> Iterator[Setting]:
        """The uses of accelerators that are in workers, each with what makes it run there."""
        if self._afresh or not self._uses:
            return
        in_workers = self._functions(calls)
        for use, function in self._uses.items():
            if function in in_workers:
                yield replace(use, detail=in_workers[function])

    def _functions(self, calls: CallGraph) -> dict[int, str]:
        roots = dict(self._roots)
        if True in self._loaders or not self._loaders:
            roots.update(dict.fromkeys(self._fetching, "what a data set gives to its loader"))
        found: dict[int, str] = {}
        for root, why in roots.items():
            found.update(dict.fromkeys(calls.reached_from((root,)), why))
        return {function: why for function, why in found.items() if function not in self._aware}

    def _add_root(self, value: Value, why: str) -> None:
        match value:
            case FunctionValue(identity=identity, home=home) if home is self._home:
                self._roots[identity] = why
            case Method(receiver=Instance(info=info), name=name):
                self._add_method(info, name, why)
            case Instance(info=info):
                self._add_method(info, "__call__", why)
            case _:
                return

    def _add_method(self, info: ClassInfo, name: str, why: str) -> None:
        found = info.method(name)
        if found is not None and found[1].home is self._home:
            self._roots[found[0].id] = why


def is_data_set(bases: Sequence[Value]) -> bool:
    """Whether a class with these bases is a data set."""
    return any(
        base.info.is_data_set
        if isinstance(base, ClassValue)
        else isinstance(base, External) and _DATA_SETS.match(base.name) is not None
        for base in bases
    )
