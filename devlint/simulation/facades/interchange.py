"""DLPack: the new tensor is a view of the same memory, on the same device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils import dlpack

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices
from devlint.simulation.labels import label_of, set_label


def patch(patches: Patches, devices: Devices) -> None:  # noqa: ARG001 - as any facade
    """Keep the label of tensors that torch exports and imports itself."""
    for owner in (torch, dlpack):
        patches.wrap(owner, "from_dlpack", _labelled)


def _labelled(take: Callable[..., Any]) -> Callable[..., Any]:
    def from_dlpack(ext_tensor: Any, **kwargs: Any) -> Any:
        label = label_of(ext_tensor) if isinstance(ext_tensor, Tensor) else None
        taken = take(ext_tensor, **kwargs)
        if label is not None:
            set_label(taken, label)
        return taken

    return from_dlpack
