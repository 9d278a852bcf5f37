"""Functions that map over the contents of nested containers, or move all tensors in them."""

from __future__ import annotations

from collections.abc import Callable

from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import NONE, TOP, Reference, Union, Value
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.operators.devices import wanted

_DEEPEST = 8
"""Containers nested deeper than this count as leaves."""


def _mapping(function: tuple[str, int], tree: tuple[str, int], of: tuple[str, int] | None = None) -> Handler:
    """A function that calls another one with each leaf of a tree, or with those of given types. `tree` and
    `function` give the arguments' names or positions."""

    def handler(machine: Machine, call: Call) -> Value:
        called, held = call.value(*function), call.argument(*tree)
        if called is None or held is None:
            return TOP
        classes = None if of is None else call.value(*of)

        def result(leaf: Value) -> Value:
            if classes is not None and machine.is_instance(leaf, classes) is False:
                return leaf
            return machine.call(called, call.passing([held._replace(value=leaf, keyword="")]))

        return _mapped(machine, held.value, result)

    return handler


def _mapped(machine: Machine, held: Value, result: Callable[[Value], Value], depth: int = 0) -> Value:
    """A tree in which each leaf is replaced by the result for it."""
    if isinstance(held, Union):
        return join_all(_mapped(machine, each, result, depth) for each in held.alternatives)
    twin = _blank_twin(held) if depth < _DEEPEST else None
    if twin is None or not isinstance(held, Reference):
        return held if held == NONE else result(held)
    machine.read(held.target)
    twin.cells = {key: _mapped(machine, each, result, depth + 1) for key, each in held.target.cells.items()}
    return machine.adopt(twin)


def _blank_twin(held: Value) -> Container | Instance | None:
    """An empty container of the same kind; None for a leaf."""
    match held:
        case Reference(target=Container(kind=kind)):
            return Container(kind)
        case Reference(target=Instance(of=Class() as of, made=made)) if "namedtuple" in of.marks:
            return Instance(of, made)
        case _:
            return None


def _moving(tree: str) -> Handler:
    """A function that moves all tensors of a tree."""

    def handler(machine: Machine, call: Call) -> Value:
        held, place = call.value(tree, 0), call.argument("device", 1)
        if held is None or place is None or place.value == NONE:
            return TOP if held is None else held
        return machine.placed(held, wanted(machine, place).device, call.site)

    return handler


_TREE_MAP = _mapping(("func", 0), ("tree", 1))
_TREE_MAP_ONLY = _mapping(("func", 1), ("tree", 2), of=("type_or_types_or_pred", 0))
_APPLY_TO_COLLECTION = _mapping(("function", 2), ("data", 0), of=("dtype", 1))
_RECURSIVELY_APPLY = _mapping(("func", 0), ("data", 1))
_LIGHTNING = (
    "lightning.fabric.utilities", "lightning_fabric.utilities", "lightning.pytorch.utilities",
    "pytorch_lightning.utilities",
)  # fmt: skip

TREES: dict[str, Handler] = {
    "torch.utils._pytree.tree_map": _TREE_MAP,
    "torch.utils._cxx_pytree.tree_map": _TREE_MAP,
    "torch.utils._pytree.tree_map_only": _TREE_MAP_ONLY,
    "torch.utils._cxx_pytree.tree_map_only": _TREE_MAP_ONLY,
    "optree.tree_map": _TREE_MAP,
    "optree.pytree.map": _TREE_MAP,
    "lightning_utilities.apply_to_collection": _APPLY_TO_COLLECTION,
    "lightning_utilities.core.apply_func.apply_to_collection": _APPLY_TO_COLLECTION,
    **{f"{head}.apply_func.apply_to_collection": _APPLY_TO_COLLECTION for head in _LIGHTNING},
    **{f"{head}.apply_func.move_data_to_device": _moving("batch") for head in _LIGHTNING},
    **{f"{head}.move_data_to_device": _moving("batch") for head in _LIGHTNING},
    "accelerate.utils.recursively_apply": _RECURSIVELY_APPLY,
    "accelerate.utils.operations.recursively_apply": _RECURSIVELY_APPLY,
    "accelerate.utils.send_to_device": _moving("tensor"),
    "accelerate.utils.operations.send_to_device": _moving("tensor"),
    "ignite.utils.convert_tensor": _moving("x"),
}
"""The functions, by canonical name."""
