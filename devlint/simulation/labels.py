"""The simulated devices of tensors, as labels.

A device is a property of memory, so the label is an attribute of the Python object of the tensor's storage,
which torch keeps as long as the memory lives. Views, `detach`, `Parameter(x)` and `.data =` share the storage
and thereby the label. A copy has its own storage, without a label. Labels are not pickled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from devlint.tensors.parts import parts_of

LABEL = "devlint_device"
_PINNED = "devlint_pinned"


def label_of(tensor: Tensor) -> torch.device | None:
    """The simulated device of a tensor; None if it is on its real device.

    With active function modes this is a call that they observe; inside of a mode, it is not.
    """
    try:
        # Called for each operand of each kernel: the repetition saves a call.
        attributes = tensor.untyped_storage().__dict__ if type(tensor) in _PLAIN else attributes_of(tensor)
    except NotImplementedError:
        return next((found for part in _parts(tensor) if (found := label_of(part)) is not None), None)
    label: torch.device | None = attributes.get(LABEL)
    return label


def place_of(tensor: Tensor) -> torch.device:
    """The device of a tensor as the program sees it, without asking the function modes in force."""
    with torch._C.DisableTorchFunction():
        try:
            label = label_of(tensor)
        except (RuntimeError, TypeError, ValueError):  # no memory: fake tensors, lazy parameters
            label = None
        return label or tensor.device


def set_label(tensor: Tensor, device: torch.device | None) -> None:
    """Put a tensor's memory on a simulated device, or back on its real one."""
    try:
        attributes = attributes_of(tensor)
    except NotImplementedError:
        for part in _parts(tensor):
            set_label(part, device)
        return
    if device is None:
        attributes.pop(LABEL, None)
    else:
        attributes[LABEL] = device


def label_new(tensor: Tensor, device: torch.device) -> None:
    """Label memory that has no label yet."""
    try:
        attributes = tensor.untyped_storage().__dict__ if type(tensor) in _PLAIN else attributes_of(tensor)
    except NotImplementedError:
        for part in _parts(tensor):
            label_new(part, device)
        return
    attributes.setdefault(LABEL, device)


def label_storage(storage: Any, device: torch.device) -> None:
    """Label a storage, typed or not."""
    untyped = storage if isinstance(storage, torch.UntypedStorage) else storage._untyped_storage
    untyped.__dict__[LABEL] = device


def storage_label(storage: Any) -> torch.device | None:
    """The label of a storage, typed or not."""
    untyped = storage if isinstance(storage, torch.UntypedStorage) else storage._untyped_storage
    label: torch.device | None = untyped.__dict__.get(LABEL)
    return label


def handles_kernels(owner: type[Tensor]) -> bool:
    """Whether a class of tensors handles kernels itself, by passing them to the tensors that it wraps."""
    return owner.__torch_dispatch__ is not Tensor.__torch_dispatch__


def is_pinned(tensor: Tensor) -> bool:
    """Whether a host tensor was pinned under simulation."""
    try:
        return bool(attributes_of(tensor).get(_PINNED))
    except NotImplementedError:
        return False


def mark_pinned(tensor: Tensor) -> None:
    """Remember that a host tensor's memory counts as pinned."""
    attributes_of(tensor)[_PINNED] = True


def attributes_of(tensor: Tensor) -> dict[str, Any]:
    """The attributes of the memory. Classes of tensors that handle torch's functions themselves are
    bypassed."""
    if type(tensor) in _PLAIN:
        return tensor.untyped_storage().__dict__
    with torch._C.DisableTorchFunctionSubclass():
        return tensor.untyped_storage().__dict__


_PLAIN = (Tensor, torch.nn.Parameter)


def _parts(tensor: Tensor) -> Iterator[Tensor]:
    """The tensors that hold the memory of a tensor without storage: a sparse one, or one of functorch."""
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        yield torch._C._functorch.get_unwrapped(tensor)
    else:
        yield from parts_of(tensor)
