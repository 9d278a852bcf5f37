"""The tensors among a kernel's arguments, according to its schema."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor

from devlint.simulation.labels import label_of


class Mixed(Enum):
    """The operands are not all on one device."""

    MIXED = "mixed"


MIXED: Final = Mixed.MIXED
_UNSEEN: Final = object()


class KernelOperand(NamedTuple):
    """A tensor operand of a kernel."""

    argument: str
    tensor: Tensor
    label: torch.device | None

    @property
    def place(self) -> torch.device:
        """The device as the program sees it: simulated, the host or meta."""
        return self.tensor.device if self.label is None else self.label


class Signature:
    """The positions of tensors in a kernel's arguments, and its kinds of results."""

    __slots__ = ("keywords", "makes", "names", "outputs", "positions", "takes_device", "views")

    def __init__(self, overload: Any) -> None:
        schema = overload._schema
        tensors = [argument for argument in schema.arguments if "Tensor" in str(argument.type)]
        positional = [argument.name for argument in schema.arguments if not argument.kwarg_only]
        self.names = positional
        self.positions = tuple(
            positional.index(argument.name) for argument in tensors if not argument.kwarg_only
        )
        self.keywords = tuple(argument.name for argument in tensors if argument.kwarg_only)
        self.outputs = tuple(
            argument.name for argument in tensors if argument.kwarg_only and argument.alias_info is not None
        )
        self.takes_device = any(str(argument.type) == "Optional[Device]" for argument in schema.arguments)
        self.makes = any(
            "Tensor" in str(result.type) and result.alias_info is None for result in schema.returns
        )
        """Whether some result is memory of its own."""
        self.views = (
            bool(schema.returns)
            and not self.makes
            and [str(argument.type) for argument in tensors] == ["Tensor"]
            and self.positions == (0,)
        )
        """Whether the results are parts of the only tensor, the first argument."""

    @property
    def has_tensors(self) -> bool:
        """Whether some argument can be a tensor."""
        return bool(self.positions or self.keywords)

    def common(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.device | Mixed | None:
        """The common label of all tensors; MIXED if they differ, None without tensors."""
        found: Any = _UNSEEN
        count = len(args)
        for position in self.positions:
            if position >= count:
                break
            value = args[position]
            if isinstance(value, Tensor):
                label = label_of(value)
                if found is _UNSEEN:
                    found = label
                elif label is not found:
                    return MIXED
            elif isinstance(value, (list, tuple)):
                for item in value:
                    if isinstance(item, Tensor):
                        label = label_of(item)
                        if found is _UNSEEN:
                            found = label
                        elif label is not found:
                            return MIXED
        if kwargs:
            for _, tensor in self._in_keywords(kwargs):
                label = label_of(tensor)
                if found is _UNSEEN:
                    found = label
                elif label is not found:
                    return MIXED
        return None if found is _UNSEEN else found

    def elements(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
        """Split a call of lists of tensors into calls of one element each; all other arguments are
        repeated."""
        lists = [value for value in (*args, *kwargs.values()) if _is_list(value)]
        for place in range(max(map(len, lists), default=0)):
            yield (
                tuple([value[place]] if _is_list(value) else value for value in args),
                {name: [value[place]] if _is_list(value) else value for name, value in kwargs.items()},
            )

    def operands(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[KernelOperand]:
        """All tensors, in the order in which torch checks them: outputs first."""
        found = [KernelOperand(name, tensor, label_of(tensor)) for name, tensor in self._in_keywords(kwargs)]
        outputs = [operand for operand in found if operand.argument in self.outputs]
        others = [operand for operand in found if operand.argument not in self.outputs]
        positional = [
            KernelOperand(self.names[position], tensor, label_of(tensor))
            for position in self.positions
            if position < len(args)
            for tensor in _tensors(args[position])
        ]
        return [*outputs, *positional, *others]

    def _in_keywords(self, kwargs: dict[str, Any]) -> Iterator[tuple[str, Tensor]]:
        for name in self.keywords:
            if name in kwargs:
                for tensor in _tensors(kwargs[name]):
                    yield name, tensor


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and isinstance(value[0], Tensor)


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        yield from (item for item in value if isinstance(item, Tensor))
