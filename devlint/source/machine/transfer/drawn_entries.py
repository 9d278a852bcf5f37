"""The entries of a dict over whose items a loop iterates: `for key, value in entries.items()`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from devlint.model import Device
from devlint.source.machine.domain.dict_keys import KeyOf
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import Object, Tensor, Value, alternatives
from devlint.source.machine.transfer.cells import Narrowing
from devlint.source.machine.transfer.interpreter import Interpreter


def entries_kept(
    machine: Interpreter, scope: Object, name: object, drawn: Value, fits: Callable[[Value], bool]
) -> Iterator[Narrowing]:
    """Keep the alternatives of the entries that match what a test shows about the value at hand.

    Each entry takes the branch that its test selects. So in each branch, all entries are taken for those that
    the branch is for.
    """
    loop = machine.execution.loop
    if loop is None or name not in loop.names:
        return
    keys = [held for each in loop.names if isinstance(held := scope.cells.get(each), KeyOf)]
    for iterated in dict.fromkeys(one for each in keys for one in each.of):
        machine.read(iterated)
        if _kinds(drawn) != _kinds(*iterated.cells.values()):
            continue
        for key, before in list(iterated.cells.items()):
            kept = [each for each in alternatives(before) if fits(each)]
            if kept and len(kept) < len(alternatives(before)):
                after = join_all(kept)
                machine.store.write(iterated, key, after)
                yield iterated, key, before, after


def _kinds(*several: Value) -> set[tuple[type[Value], Device | None]]:
    """The kinds of values, and where tensors are."""
    every = (one for each in several for one in alternatives(each))
    return {(type(one), one.device if isinstance(one, Tensor) else None) for one in every}
