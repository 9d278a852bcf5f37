"""Which tensors a process group takes: those on devices for which it has a backend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch import Tensor, distributed

from devlint.simulation import errors
from devlint.simulation.labels import label_of

_FUNCTIONAL = "c10d_functional"
"""How the namespaces of functional collectives end, on which DTensor rests."""
_GROUP = "group_name"


def refusal(group: Any, tensors: Iterable[Tensor], type: str) -> Exception | None:  # noqa: A002 - as torch.device
    """The error of a collective over these tensors, with simulated devices of a type; None if there is none.

    Of tensors on several types, torch looks at the accelerator's (the order of dispatch keys).
    """
    operands = list(tensors)
    wanted = type if any(label_of(tensor) is not None for tensor in operands) else "cpu"
    if not operands or wanted in [device.type for device in group._device_types]:
        return None
    return errors.no_backend(wanted)


def group_position(overload: Any) -> int | None:
    """Which argument of a kernel names a process group; None if it is no functional collective."""
    schema = overload._schema
    if not schema.name.partition("::")[0].endswith(_FUNCTIONAL):
        return None
    names = [argument.name for argument in schema.arguments]
    return names.index(_GROUP) if _GROUP in names else None


def named_group(name: object) -> Any:
    """The process group with a name; None if there is none."""
    if not isinstance(name, str):
        return None
    groups: Any = distributed.distributed_c10d  # whose names are a type of their own in some releases
    return groups._resolve_process_group(name)
